//! Methods of a folder, and their versions for the dated files.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::callee::Callees;
use crate::law::formula::YearNames;
use crate::law::method::check_codes;
use crate::law::{Method, Shape};
use crate::run::folder::Checks;
use crate::set::schema::{self, Schema, scale_schema};
use crate::text::{Node, PlacedText, Problem, Report, RuleFile};

/// The methods of a folder without errors, by name.
pub(crate) struct Methods<'f>(BTreeMap<&'f str, Known<'f>>);

/// A method without errors.
pub(crate) struct Known<'f> {
    pub method: Arc<Method>,
    /// Schema of its dated files; `None` where these were checked before.
    pub schema: Option<Schema>,
    node: &'f Node,
    /// Its versions for dated files that leave out some options, or do not give every figure, by
    /// the names of these.
    parts: BTreeMap<(Vec<String>, Vec<String>), Arc<Method>>,
}

impl<'f> Methods<'f> {
    /// Reads the method files of a folder.
    pub(crate) fn read(
        path: &str,
        files: &'f [(String, Arc<RuleFile>, Node)],
        callees: &Callees,
        checks: Checks,
        report: &mut Report,
    ) -> Self {
        let is_trusted = checks.are_skipped();
        let mut methods = BTreeMap::new();

        for (name, file, node) in files {
            let mut own = Report::default();

            // Sections first: without one of them, the reader would find nothing but what is
            // missing.
            if !is_trusted && !schema::METHOD.check_sections(node, &mut own) {
                report.extend_file(own);
                continue;
            }

            // The reader before the schema, because its messages are more precise: the schema adds
            // only what has no error yet.
            check_folder(path, node, &mut own);
            let method = Arc::new(Method::read(name, file, node, callees, &mut own));
            if !is_trusted {
                schema::METHOD.validate(node, &mut own);
            }
            let is_ok = own.is_ok();
            report.extend_file(own);

            // With a method that has mistakes, every dated file would look wrong.
            if is_ok {
                let schema = (!is_trusted).then(|| Schema::new(scale_schema(&method)));
                methods.insert(
                    name.as_str(),
                    Known {
                        method,
                        schema,
                        node,
                        parts: BTreeMap::new(),
                    },
                );
            }
        }

        check_codes(
            methods.values().flat_map(|known| &known.method.checks),
            report,
        );
        share_year_names(&mut methods);

        Self(methods)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Known<'f>> {
        self.0.get(name)
    }

    /// The version of a method without some of its options, for a scale that starts on a day;
    /// unknown names of options are ignored.
    pub(crate) fn of_scale(
        &mut self,
        name: &str,
        left_out: &[PlacedText],
        day: Date,
    ) -> Option<Arc<Method>> {
        let Known {
            method,
            node,
            parts,
            ..
        } = self.0.get_mut(name)?;
        let is_named = |name: &str| left_out.iter().any(|text| text.value == name);
        let names = method
            .options()
            .iter()
            .map(|option| option.name.clone())
            .filter(|name| is_named(name));
        let names: Vec<String> = names.collect();

        // Most dated files use the method as it is.
        let figures = method.figures().iter();
        if names.is_empty() && !figures.clone().any(Shape::may_be_absent) {
            return Some(Arc::clone(method));
        }

        // Dated files that lack the same options and figures share one version of the method.
        let absent = figures
            .filter(|shape| !shape.is_given_on(day))
            .map(|shape| shape.name.clone())
            .collect();
        let read = || {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Arc::new(method.of_scale(node, &names, day))
        };

        Some(Arc::clone(
            parts.entry((names.clone(), absent)).or_insert_with(read),
        ))
    }
}

/// Shares the names that are read in other months: the months of a year of pays may use different
/// methods, and each must keep what any of them reads.
fn share_year_names(methods: &mut BTreeMap<&str, Known>) {
    let mut names = YearNames::default();
    methods
        .values()
        .for_each(|known| names.join(&known.method.year_names));

    // No version of a method is made yet, so that each `Arc` has a single owner.
    for known in methods.values_mut() {
        if let Some(method) = Arc::get_mut(&mut known.method) {
            method.year_names = names.clone();
        }
    }
}

/// Reports a method that names another folder, as after its files were copied.
fn check_folder(path: &str, node: &Node, report: &mut Report) {
    if let Some(written) = node.text_of("folder").filter(|text| text.value != path) {
        let problem = Problem::MethodOfOtherFolder {
            stated: written.value.clone(),
            folder: path.to_owned(),
        };
        report.error(&written.place, problem);
    }
}
