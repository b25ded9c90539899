//! The reading of a folder with its texts in English.

use std::sync::Arc;

use crate::law::Drafts;
use crate::run::case::CaseFile;
use crate::run::folder::{Checks, Folder};
use crate::set::load::methods::Methods;
use crate::text::{Node, Report, RuleFile, Severity};

use super::folder::{FolderFiles, Parsed, Scales, read_scales, undated, version};
use super::law::set_versions;
use super::shared::follow_shared_figures;
use super::translation::Translation;

impl Parsed {
    /// The folder in English; `None` where a text is missing, or where its files have errors.
    pub(super) fn in_english(
        &self,
        file: &Arc<RuleFile>,
        folder: &FolderFiles,
        drafts: Drafts,
        report: &mut Report,
    ) -> Option<Folder> {
        // 1. The texts, of which none may be missing. A mistake in them holds no law back.
        let mut own = Report::default();
        let translation = Translation::read(file, &mut own);
        let methods = self.methods.iter();
        let scales = self.scales.iter();
        let (files, others) = (
            methods.clone().map(|(.., node)| node),
            scales.clone().map(|(.., node)| node),
        );
        let translation = translation.filter(|texts| texts.check(files, others, &mut own));
        let is_ok = own.is_ok();
        report.extend(own.demoted());
        let translation = translation.filter(|_| is_ok)?;

        // 2. The same files with these texts.
        let in_english = |node: &Node| translation.of_file(node);
        let parsed = Self {
            methods: methods
                .map(|(name, file, node)| (name.clone(), Arc::clone(file), in_english(node)))
                .collect(),
            scales: scales
                .map(|(date, file, node)| (*date, Arc::clone(file), in_english(node)))
                .collect(),
            ..Self::default()
        };

        // 3. The folder. The French files were checked: what is wrong now is in the English texts.
        let mut own = Report::default();
        let checks = Checks::Trusted;
        let callees = folder.callees.in_english();
        let mut methods = Methods::read(folder.path, &parsed.methods, &callees, checks, &mut own);
        let Scales { mut editions, .. } =
            read_scales(&parsed, &mut methods, checks, drafts, &mut own);
        if parsed.scales.is_empty() {
            let method = methods.get("method");
            editions.extend(method.and_then(|known| undated(&known.method, checks, &mut own)));
        }
        follow_shared_figures(&mut editions, checks, &mut own);
        let (methods, scales) = (self.methods.iter(), self.scales.iter());
        set_versions(
            &mut editions,
            methods
                .map(|(name, _, node)| (name.as_str(), node))
                .collect(),
            &scales.map(|(date, _, node)| (*date, node)).collect(),
        );
        let is_ok = own.is_ok();
        report.extend(
            own.only(|found| found.severity() == Severity::Error)
                .demoted(),
        );

        is_ok.then(|| Folder {
            path: folder.path.to_owned(),
            version: version(folder, drafts, &[]),
            content: folder.content,
            editions,
            drafts: Vec::new(),
            cases: CaseFile::new(
                self.cases.as_ref().map(|(file, _)| Arc::clone(file)),
                drafts,
            ),
            checks,
            trees: Arc::default(),
            warnings: Report::default(),
            english: None,
            picture: None,
        })
    }
}
