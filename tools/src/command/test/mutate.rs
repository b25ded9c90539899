//! `bareme test --mutate`: finds figures whose typos, and words of methods whose slips, no case
//! would notice, and proposes a case for each.

use std::collections::BTreeSet;

use bareme_engine::law::parameter::DATE;
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::set::mutate::{MethodProbe, Probe, Proposal, Slip};
use bareme_engine::{Folder, Report};
use bareme_show::{Locale, Table, Tone, say};
use jiff::civil::Date;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session};

/// Greatest number of fields of a proposed case.
const FIELDS: usize = 4;

/// A change of the rules that no case notices.
struct Unnoticed {
    folder: String,
    /// The file: a dated one, or that of a method.
    file: String,
    /// The line of the file.
    line: usize,
    /// The cell of a figure, or the place in a method.
    place: String,
    written: String,
    changed: String,
    /// A question that would notice it, if one was found.
    proposal: Option<Proposal>,
}

/// Changes that were tried, and those that no case notices.
#[derive(Default)]
struct Tried {
    figures: usize,
    slips: usize,
    /// Slips that change no answer to the questions that were tried: most are no mistake at all.
    without_effect: usize,
    unnoticed: Vec<Unnoticed>,
}

pub(super) fn run(files: &RuleFiles, rules: &Rules, session: &Session) -> Result<Exit, Failure> {
    // A case that fails already would notice every change.
    let folders: Vec<&Folder> = rules
        .folders()
        .filter(|folder| files.holds_part_of(folder.path()))
        .collect();
    let failing: Vec<&str> = folders
        .iter()
        .filter(|folder| fails(folder))
        .map(|folder| folder.path())
        .collect();

    if !failing.is_empty() {
        let failing = failing.join(", ");
        return Err(Failure::wrong(say!(
            session.lang,
            "Un cas est déjà faux : {failing}. Le corriger d’abord (`bareme test`) : tant qu’il l’est, on ne sait pas qui s’aperçoit de quoi.",
            "A case is wrong already: {failing}. Fix it first (`bareme test`): until then nobody knows what is noticed."
        )));
    }

    // Everything is changed in memory: no file is written.
    let tried = try_all(&folders, session.today);

    session.show(&outcome(&tried, session))?;
    Ok(if tried.unnoticed.is_empty() {
        Exit::Fine
    } else {
        Exit::Wrong
    })
}

/// Whether a case of the folder already fails.
fn fails(folder: &Folder) -> bool {
    let mut report = Report::default();
    folder
        .cases()
        .iter()
        .for_each(|case| case.run(folder, &mut report));
    !report.is_ok()
}

/// Tries every cell of current and future scales, and every slip of their methods, on all
/// processors.
fn try_all(folders: &[&Folder], today: Date) -> Tried {
    // Folders are independent of each other.
    let of_folders: Vec<Tried> = folders
        .par_iter()
        .map(|folder| {
            let mut tried = Tried::default();
            try_figures(folder, today, &mut tried);
            try_methods(folder, today, &mut tried);
            tried
        })
        .collect();

    let mut all = Tried::default();
    for tried in of_folders {
        all.figures = all.figures.saturating_add(tried.figures);
        all.slips = all.slips.saturating_add(tried.slips);
        all.without_effect = all.without_effect.saturating_add(tried.without_effect);
        all.unnoticed.extend(tried.unnoticed);
    }
    all
}

/// The scale in force on a day, and the later ones: past ones are finished.
fn editions_from(folder: &Folder, today: Date) -> impl Iterator<Item = &Edition> {
    let start = |edition: &Edition| edition.scale().map(|scale| scale.date);
    let in_force = folder.edition(today).and_then(start);
    let editions = folder.editions().iter();
    editions.filter(move |edition| start(edition) >= in_force)
}

fn try_figures(folder: &Folder, today: Date, tried: &mut Tried) {
    for edition in editions_from(folder, today) {
        // A method without dated figures has none to change.
        let date = edition.scale().map(|scale| scale.date);
        let Some((probe, date)) = Probe::new(folder, edition).zip(date) else {
            continue;
        };

        // A figure is checked if a case notices at least one of its typos.
        for cell in probe.cells() {
            tried.figures = tried.figures.saturating_add(1);
            let typos = cell.nearby();
            if typos.iter().any(|typo| probe.is_noticed(&cell, typo)) {
                continue;
            }
            // The last typo is the farthest: a question notices it most likely.
            let Some(typo) = typos.last() else { continue };
            tried.unnoticed.push(Unnoticed {
                folder: folder.path().to_owned(),
                file: format!("{date}.yaml"),
                line: cell.line(),
                place: cell.name(),
                written: cell.written().to_owned(),
                changed: typo.clone(),
                proposal: probe.propose(&cell, typo),
            });
        }
    }
}

fn try_methods(folder: &Folder, today: Date, tried: &mut Tried) {
    let names: BTreeSet<&str> = editions_from(folder, today)
        .map(|edition| edition.method().name.as_str())
        .collect();

    for (name, probe) in names
        .iter()
        .filter_map(|name| Some((name, MethodProbe::new(folder, name)?)))
    {
        let slips = probe.slips();
        tried.slips = tried.slips.saturating_add(slips.len());

        // `> 0` for `>= 0` mostly changes nothing: what no question tells from the right method is
        // counted, and asks for no case.
        let missed: Vec<(&Slip, Option<Proposal>)> = slips
            .par_iter()
            .filter(|slip| !probe.is_noticed(slip))
            .map(|slip| (slip, probe.propose(slip)))
            .collect();
        for (slip, proposal) in missed {
            if proposal.is_none() {
                tried.without_effect = tried.without_effect.saturating_add(1);
                continue;
            }
            tried.unnoticed.push(Unnoticed {
                folder: folder.path().to_owned(),
                file: format!("{name}.yaml"),
                line: slip.line,
                place: slip.name.clone(),
                written: slip.written.clone(),
                changed: slip.mistaken.clone(),
                proposal,
            });
        }
    }
}

fn outcome(tried: &Tried, session: &Session) -> Outcome {
    let lang = session.lang;
    let Tried {
        figures,
        slips,
        without_effect,
        unnoticed,
    } = tried;

    // Each line names a change for which a case is to be written, file by file.
    let mut page = Page::default();
    for of_file in unnoticed.chunk_by(|a, b| (&a.folder, &a.file) == (&b.folder, &b.file)) {
        let Some(first) = of_file.first() else {
            continue;
        };
        page.heading(format!("{}/{}", first.folder, first.file));
        let mut table = Table::default()
            .number(say!(lang, "Ligne", "Line"))
            .text(say!(lang, "Chiffre ou étape", "Figure or step"))
            .text(say!(lang, "Écrit", "Written"))
            .text(say!(lang, "Changé en", "Changed to"));
        for found in of_file {
            let line = found.line.to_string();
            let cells = [&line, &found.place, &found.written, &found.changed];
            table.row(cells.map(|cell| cell.as_str().into()));
        }
        page.table(table);
    }

    let number = |count: usize| Locale::from(lang).number(count.into());
    let (figures, slips, unseen) = (number(*figures), number(*slips), number(unnoticed.len()));
    let verdict = if unnoticed.is_empty() {
        say!(
            lang,
            "{figures} chiffres et {slips} endroits des méthodes changés un à un : un cas s’en aperçoit chaque fois.",
            "{figures} figures and {slips} places of methods changed one by one: a case notices each time."
        )
    } else {
        say!(
            lang,
            "{figures} chiffres et {slips} endroits des méthodes changés un à un : aucun cas ne s’aperçoit de {unseen} d’entre eux.",
            "{figures} figures and {slips} places of methods changed one by one: no case notices {unseen} of them."
        )
    };
    let tone = if unnoticed.is_empty() {
        Tone::Good
    } else {
        Tone::Warning
    };
    page.toned(verdict, tone);
    propose(&mut page, unnoticed, *without_effect, session);

    let listed = unnoticed.iter().map(|found| {
        json!({
            "bareme": found.folder,
            "fichier": found.file,
            "ligne": found.line,
            "endroit": found.place,
            "ecrit": found.written,
            "change": found.changed,
            "cas": found.proposal.as_ref().map(as_case),
        })
    });
    Outcome {
        page,
        json: listed.collect(),
        annotations: Vec::new(),
    }
}

/// Adds the cases that would notice, each once and ready to be worked out by hand.
fn propose(page: &mut Page, unnoticed: &[Unnoticed], without_effect: usize, session: &Session) {
    let lang = session.lang;
    let mut proposed: Vec<(&str, String)> = Vec::new();
    for found in unnoticed {
        let case = found.proposal.as_ref().map(as_case);
        let case = case.map(|case| (found.folder.as_str(), case));
        proposed.extend(case.filter(|case| !proposed.contains(case)));
    }

    if !proposed.is_empty() {
        page.text(say!(
            lang,
            "Cas qui s’en apercevraient. Calculer à la main les valeurs attendues, d’après le texte de loi et non d’après le programme, puis les ajouter à `cases.yaml` :",
            "Cases that would notice. Work the expected values out by hand, from the law and not from the program, then add them to `cases.yaml`:"
        ));
    }
    for of_folder in proposed.chunk_by(|(a, _), (b, _)| a == b) {
        let cases: Vec<&str> = of_folder.iter().map(|(_, case)| case.as_str()).collect();
        if let Some((folder, _)) = of_folder.first() {
            page.heading((*folder).to_owned());
        }
        page.verbatim(cases.join("\n"), Tone::Plain);
    }

    if without_effect > 0 {
        let count = Locale::from(lang).number(without_effect.into());
        page.text(say!(
            lang,
            "Non comptés : {count} changements de méthode qui ne changent la réponse à aucune des questions essayées.",
            "Not counted: {count} changes of methods that change the answer to none of the questions tried."
        ));
    }
}

/// A proposed case as a line of `cases.yaml`; its expected values are left to whoever works it out.
fn as_case(proposal: &Proposal) -> String {
    let (mut date, mut given) = (String::new(), Vec::new());
    for (name, value) in &proposal.query {
        if name == DATE {
            date = format!("date: {value}, ");
        } else {
            given.push(format!("{name}: {value}"));
        }
    }
    // Some fields are enough to notice: the whole answer would be work without use.
    let fields = proposal.fields.iter().take(FIELDS);
    let expect = fields.map(|field| format!("{field}: …"));
    format!(
        "- {{name: \"…\", {date}given: {{{}}}, expect: {{{}}}, origin: {{kind: hand, note: \"…\"}}}}",
        given.join(", "),
        expect.collect::<Vec<_>>().join(", ")
    )
}
