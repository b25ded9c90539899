//! Check that dated files follow each method of their folder.

use std::sync::Arc;

use crate::text::{Node, Place, Problem, Report, RuleFile};

/// Warns of methods that no dated file follows, drafts included.
pub(super) fn check_followed<'n>(
    methods: &[(String, Arc<RuleFile>, Node)],
    scales: impl Iterator<Item = &'n Node>,
    report: &mut Report,
) {
    let named = |node: &Node| {
        let name = node.string_of("method");
        let name = name.unwrap_or_else(|| "method".to_owned());
        name.trim_end_matches(".yaml").to_owned()
    };
    let followed: Vec<String> = scales.map(named).collect();

    // Of a misspelt name, which was reported, the method that it means is followed.
    let is_known = |own: &String| methods.iter().any(|(name, ..)| name == own);
    if followed.is_empty() || !followed.iter().all(is_known) {
        return;
    }

    let is_left = |name: &str| !followed.iter().any(|own| own == name);
    for (_, file, _) in methods.iter().filter(|(name, ..)| is_left(name)) {
        report.warn(&Place::of_file(file), Problem::MethodOfNoFile {});
    }
}
