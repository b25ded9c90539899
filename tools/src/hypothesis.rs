//! Hypotheses: figures of the law at other values, in rule files that are checked like any other.

use bareme_engine::authoring::WrittenCell;
use bareme_engine::law::{Drafts, SharedFrom};
use bareme_engine::service::Rules;
use bareme_engine::text::{Rendering, nearest};
use bareme_engine::{Diagnostic, FileSet, Folder, Lang, Loader, Report};
use bareme_show::say;
use jiff::civil::Date;

use crate::edit::{Edit, edited};
use crate::format::did_you_mean;
use crate::rule_files::folder_of;
use crate::series::{DatedFile, Series};

/// Figures with other values, in the scale in force on a day and in those that follow it.
///
/// A scale is changed whole, from its first day on.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis<'h> {
    /// Each figure with its value: `ir.bareme[1].rate`, or `bareme[1].rate` of `folder`.
    pub figures: &'h [(String, String)],
    /// The folder of names that begin with none.
    pub folder: Option<&'h str>,
    /// The day from which on scales are changed.
    pub since: Date,
    /// The last day of which the scale is changed; `None` for every later scale.
    pub until: Option<Date>,
    /// Whether drafts are scales like the others, as in the rules that are changed.
    pub drafts: Drafts,
    /// The language of errors.
    pub lang: Lang,
}

/// The rules of a hypothesis, with the files that they were read from.
#[derive(Debug)]
pub struct HypotheticalRules {
    /// The files.
    pub files: FileSet,
    /// The rules.
    pub rules: Rules,
}

/// Why a hypothesis has no rules.
#[derive(Debug)]
pub struct HypothesisError {
    /// A stable code.
    pub code: &'static str,
    /// The reason, or the report of the mistakes.
    pub message: String,
    /// The mistakes that rule files have with these values.
    pub mistakes: Vec<Diagnostic>,
}

impl HypothesisError {
    fn new(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            mistakes: Vec::new(),
        }
    }

    /// The error of a report: the mistakes of the folders that are changed, from which those of
    /// others follow.
    fn of_report(report: &Report, changed: &[String], lang: Lang) -> Self {
        let is_own = |error: &&Diagnostic| {
            let folder = folder_of(error.file());
            changed.iter().any(|path| path == folder)
        };
        let mut mistakes: Vec<Diagnostic> = report.errors().filter(is_own).cloned().collect();
        if mistakes.is_empty() {
            mistakes = report.errors().cloned().collect();
        }

        let rendering = Rendering::new(lang);
        let errors = mistakes.iter().map(|error| error.render(rendering));
        Self {
            code: "regles",
            message: errors.collect::<Vec<_>>().join("\n"),
            mistakes,
        }
    }
}

impl Hypothesis<'_> {
    /// The rules with these values, checked like rule files. Their cases are left out: they hold for
    /// the figures of the law.
    ///
    /// # Errors
    /// A figure or a scale that does not exist, or a value that rule files cannot have.
    pub fn load(
        &self,
        files: &FileSet,
        rules: &Rules,
        only: &[&str],
    ) -> Result<HypotheticalRules, HypothesisError> {
        let (files, changed) = self.files(files, rules)?;

        // With `only`, errors elsewhere are ignored, but not those of a folder that is changed.
        let mut about = only.to_vec();
        if !only.is_empty() {
            about.extend(changed.iter().map(String::as_str));
        }

        let loader = Loader::new()
            .drafts(self.drafts)
            .without_cases()
            .without_english()
            .only(&about)
            // Folders whose files are the same were checked with the rules.
            .reusing(rules);
        let loaded = loader.load_service_files(&files);

        match loaded.rules {
            Some(rules) => Ok(HypotheticalRules { files, rules }),
            None => Err(HypothesisError::of_report(
                &loaded.report,
                &changed,
                self.lang,
            )),
        }
    }

    /// The files with these values, and the folders that are changed.
    fn files(
        &self,
        files: &FileSet,
        rules: &Rules,
    ) -> Result<(FileSet, Vec<String>), HypothesisError> {
        // 1. Each figure in its folder, the figures of one folder together: they change one text.
        let mut folders: Vec<(&Folder, Vec<(&str, &str)>)> = Vec::new();
        for (name, value) in self.figures {
            let (folder, cell) = self.resolved(name, rules)?;
            self.check_value(name, value)?;

            match folders
                .iter_mut()
                .find(|(known, _)| known.path() == folder.path())
            {
                Some((_, cells)) => cells.push((cell, value)),
                None => folders.push((folder, vec![(cell, value)])),
            }
        }

        // 2. The scales from the day on, each with every figure changed.
        let mut set = files.clone();
        for (folder, cells) in &folders {
            for (inside, text) in self.texts(files, folder, cells)? {
                set = set.with(&inside, &text);
            }
        }

        let changed = folders.iter().map(|(folder, _)| folder.path().to_owned());
        Ok((set, changed.collect()))
    }

    /// The folder and the cell that a name means.
    fn resolved<'r, 'n>(
        &self,
        name: &'n str,
        rules: &'r Rules,
    ) -> Result<(&'r Folder, &'n str), HypothesisError> {
        let own = self.folder.and_then(|path| rules.folder(path));
        let prefixed = name
            .split_once('.')
            .and_then(|(path, cell)| Some((rules.folder(path.trim())?, cell.trim())));

        // A figure of the folder itself comes before a folder of that name.
        let figure = name.split(['.', '[']).next().unwrap_or_default().trim();
        if let Some(own) = own
            && (prefixed.is_none() || has_figure(own, figure))
        {
            return Ok((own, name.trim()));
        }

        prefixed.ok_or_else(|| {
            let path = name.split('.').next().unwrap_or_default();
            let near = nearest(path, rules.folders().map(Folder::path));
            let near = did_you_mean(near, self.lang).unwrap_or_default();
            let message = say!(
                self.lang,
                "`{name}` : écrire le dossier, puis le chiffre, comme `ir.bareme[1].rate` ; aucun \
                 barème ne s’appelle `{path}`{near}",
                "`{name}`: write the folder, then the figure, like `ir.bareme[1].rate`; no scale \
                 is called `{path}`{near}"
            );
            HypothesisError::new("bareme_inconnu", message)
        })
    }

    /// The changed texts of a folder, each with its path.
    fn texts(
        &self,
        files: &FileSet,
        folder: &Folder,
        cells: &[(&str, &str)],
    ) -> Result<Vec<(String, String)>, HypothesisError> {
        let series = Series::loaded(files, folder);
        let dated = self.dated(&series, folder)?;
        let Some(first) = dated.first() else {
            return Ok(Vec::new());
        };

        // A row is named by its place in the first scale, and found again by its keys in the others.
        let mut edits: Vec<Vec<Edit>> = vec![Vec::new(); dated.len()];
        for (name, value) in cells {
            let cell = self.find_cell(&series, first, folder, name)?;

            for (file, edits) in dated.iter().zip(&mut edits) {
                let same = match file.date == first.date {
                    true => Some(cell.clone()),
                    false => series.counterpart(&cell, first, file),
                };
                let place = same.and_then(|cell| Some(cell.text?.place.span()));
                let place = place.ok_or_else(|| self.absent(name, file))?;
                edits.push(Edit::replace(place, *value));
            }
        }

        let text = |(file, edits): (&&DatedFile, Vec<Edit>)| {
            (file.inside.clone(), edited(&file.text, edits))
        };
        Ok(dated.iter().zip(edits).map(text).collect())
    }

    /// The dated files of the scale in force on the day, and of every later one.
    fn dated<'s>(
        &self,
        series: &'s Series,
        folder: &Folder,
    ) -> Result<Vec<&'s DatedFile>, HypothesisError> {
        let path = folder.path();
        let in_force = folder
            .edition(self.since)
            .and_then(|edition| edition.scale());

        let Some(first) = in_force.map(|scale| scale.date) else {
            let since = self.since;
            return Err(HypothesisError::new(
                "sans_bareme",
                say!(
                    self.lang,
                    "`{path}` n’a pas de barème daté au {since}, dont changer un chiffre",
                    "`{path}` has no dated scale on {since}, of which to change a figure"
                ),
            ));
        };

        // Drafts that are left out are in no edition, and stay as they are.
        let is_read = |date: Date| {
            let mut scales = folder
                .editions()
                .iter()
                .filter_map(|edition| edition.scale());
            scales.any(|scale| scale.date == date)
        };
        let files = series.files.iter();
        Ok(files
            .filter(|file| file.date >= first && is_read(file.date))
            .filter(|file| self.until.is_none_or(|until| file.date <= until))
            .collect())
    }

    fn find_cell<'f>(
        &self,
        series: &'f Series,
        file: &'f DatedFile,
        folder: &Folder,
        name: &str,
    ) -> Result<WrittenCell<'f>, HypothesisError> {
        let figure = name.split(['.', '[']).next().unwrap_or_default();
        let Some(SharedFrom { folder, figure, .. }) = shared(folder, figure) else {
            return find_cell(series, file, name, self.lang);
        };

        // Another folder gives the figure: this one has no value of it to change.
        let rest = name.find(['.', '[']).and_then(|at| name.get(at..));
        let rest = rest.unwrap_or_default();
        let message = say!(
            self.lang,
            "`{name}` est repris d’un autre dossier, où il se change : `{folder}.{figure}{rest}`.",
            "`{name}` is taken from another folder, where it is to be changed: \
             `{folder}.{figure}{rest}`."
        );
        Err(HypothesisError::new("chiffre_repris", message))
    }

    fn absent(&self, name: &str, file: &DatedFile) -> HypothesisError {
        let file = &file.inside;
        let message = say!(
            self.lang,
            "`{name}` n’a pas de pendant dans {file}, que l’hypothèse change aussi : nommer le \
             premier ou le dernier jour qu’elle touche.",
            "`{name}` has no counterpart in {file}, which the hypothesis changes too: name the \
             first or the last day that it is about."
        );
        HypothesisError::new("chiffre_inconnu", message)
    }

    /// Refuses a value that could be read as something else than one cell of a rule file.
    fn check_value(&self, name: &str, value: &str) -> Result<(), HypothesisError> {
        let is_plain = |letter: char| letter.is_alphanumeric() || " .%_/-".contains(letter);
        if !value.trim().is_empty() && value.chars().all(is_plain) {
            return Ok(());
        }

        let message = say!(
            self.lang,
            "`{name}` : `{value}` n’est pas une valeur ; l’écrire comme dans un fichier de \
             barème, `12%` ou `11 600.50`.",
            "`{name}`: `{value}` is no value; write it as in a rule file, `12%` or `11 600.50`."
        );
        Err(HypothesisError::new("format", message))
    }
}

/// The cell of a dated file with a name.
///
/// # Errors
/// No figure has the name; the reason lists those that there are.
pub(crate) fn find_cell<'f>(
    series: &'f Series,
    file: &'f DatedFile,
    name: &str,
    lang: Lang,
) -> Result<WrittenCell<'f>, HypothesisError> {
    let cells = file.cells(&series.shapes);
    let names: Vec<String> = cells.iter().map(WrittenCell::name).collect();

    let found = cells
        .into_iter()
        .find(|cell| cell.name() == name && cell.text.is_some());
    found.ok_or_else(|| {
        let near = nearest(name, names.iter().map(String::as_str));
        let near = did_you_mean(near, lang).unwrap_or_default();
        let (figures, file) = (names.join(", "), &file.inside);

        let message = say!(
            lang,
            "`{name}` n’est pas un chiffre de {file}{near}\nChiffres : {figures}.",
            "`{name}` is no figure of {file}{near}\nFigures: {figures}."
        );
        HypothesisError::new("chiffre_inconnu", message)
    })
}

fn shared<'f>(folder: &'f Folder, figure: &str) -> Option<&'f SharedFrom> {
    let shapes = folder
        .editions()
        .iter()
        .rev()
        .flat_map(|edition| edition.method().figures());
    shapes
        .filter(|shape| shape.name == figure)
        .find_map(|shape| shape.shared.as_ref())
}

fn has_figure(folder: &Folder, figure: &str) -> bool {
    let mut editions = folder.editions().iter();
    editions.any(|edition| {
        let mut shapes = edition.method().figures().iter();
        shapes.any(|shape| shape.name == figure)
    })
}
