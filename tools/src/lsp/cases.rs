//! Code lenses of worked cases: expected and computed values, and commands to show the case in the
//! method, to run it, or to accept its computed values once they were reviewed.

use std::collections::HashMap;
use std::path::PathBuf;

use bareme_engine::authoring::Node;
use bareme_engine::run::Case;
use bareme_engine::set::Difference;
use bareme_engine::text::RuleFile;
use bareme_engine::{Lang, Report};
use bareme_show::say;
use gen_lsp_types as lsp;
use serde_json::{Value, json};

use super::index::FileKind;
use super::position::Lines;
use super::rename::line_edits;
use super::server::{File, Server};
use super::uri;
use crate::accept::CaseRun;
use crate::edit::edited;

/// The commands of the code lenses.
pub(super) const RUN: &str = "bareme.lancerLeCas";
pub(super) const ACCEPT: &str = "bareme.accepterLeCas";
pub(super) const SHOW: &str = "bareme.montrerLeCas";
pub(super) const COMMANDS: [&str; 3] = [RUN, ACCEPT, SHOW];

/// Differences shown in a lens; the message of the command shows all.
const SHOWN_DIFFERENCES: usize = 2;

/// A request to the editor that awaits its answer.
#[derive(Debug)]
pub(super) enum Question {
    /// The answer does not matter.
    Nothing,
    /// Whether a case is to be accepted, after its values were reviewed.
    Accept {
        uri: lsp::Uri,
        case: String,
        date: Option<String>,
        answer: String,
    },
}

/// Answers a request for the code lenses of a file.
pub(super) fn lenses(
    server: &mut Server,
    parameters: lsp::CodeLensParams,
) -> Result<Option<Vec<lsp::CodeLens>>, String> {
    let (lang, uri) = (server.lang, parameters.text_document.uri);
    let Some(file) = server.file(&uri) else {
        return Ok(None);
    };
    if FileKind::from_path(&file.path) != FileKind::Cases {
        return Ok(None);
    }

    let lines = file.lines();
    let mut lenses = Vec::new();
    for run in runs(&file) {
        let range = lines.range(&run.case.place.span());
        let mut lens = |title: String, name: &str| {
            // The command is about the case by its name and day, since its line may change before
            // it is used.
            lenses.push(lsp::CodeLens {
                range,
                command: Some(command(title, name, &uri, run.case)),
                data: None,
            });
        };

        lens(verdict(&run, lang), RUN);

        // Only what differs can be accepted.
        if !run.outcome.differences.is_empty() {
            lens(say!(lang, "accepter…", "accept…"), ACCEPT);
        }

        // A refused case has no steps, and a year of pays has those of twelve months.
        if run.case.refuse.is_none() && !run.case.is_year {
            lens(
                say!(lang, "montrer dans la méthode", "show in the method"),
                SHOW,
            );
        }
    }
    Ok(Some(lenses))
}

/// A command about a case.
pub(super) fn command(title: String, command: &str, uri: &lsp::Uri, case: &Case) -> lsp::Command {
    // The protocol sends a command back with its arguments, as JSON.
    let arguments = vec![
        json!(uri),
        json!(case.name),
        json!(case.date().map(|date| date.to_string())),
    ];

    lsp::Command {
        title,
        tooltip: None,
        command: command.to_owned(),
        arguments: Some(arguments),
    }
}

/// The cases of a file as now written, each with its computed values; empty where the folder has
/// another kind of error.
fn runs<'s>(file: &'s File) -> Vec<CaseRun<'s>> {
    file.root
        .folder(file.folder())
        .into_iter()
        .flat_map(CaseRun::all)
        .collect()
}

/// The title of a lens: `juste`, or `attendu 358 225, obtenu 358 200`.
fn verdict(run: &CaseRun, lang: Lang) -> String {
    if run.outcome.is_ok() {
        // Values that the program computed prove nothing by themselves: the lens recalls it even
        // where the case passes.
        let computed = say!(
            lang,
            " (valeurs du programme, à refaire à la main)",
            " (values of the program, to be worked out by hand)"
        );
        let computed = if run.case.is_computed {
            computed
        } else {
            String::new()
        };
        return say!(lang, "✓ juste{computed}", "✓ right{computed}");
    }

    let parts = run
        .outcome
        .differences
        .iter()
        .take(SHOWN_DIFFERENCES)
        .map(|difference| in_words(difference, lang));
    // Other mismatches, as an unexpected warning, are long: the first is enough.
    let others = run
        .outcome
        .others
        .errors()
        .map(|found| found.message(lang))
        .take(1);
    let mut parts: Vec<String> = parts.chain(others).collect();
    let left = run
        .outcome
        .differences
        .len()
        .saturating_sub(SHOWN_DIFFERENCES);
    if left > 0 {
        parts.push(say!(
            lang,
            "et {left} autres écarts",
            "and {left} more differences"
        ));
    }
    format!("✗ {}", parts.join(" ; "))
}

fn in_words(difference: &Difference, lang: Lang) -> String {
    let (field, expected, found) = (
        &difference.field.value,
        difference.expected.shown(),
        &difference.found,
    );
    // Numbers are grouped as in French; other values are words.
    let shown = |text: &str| match text.parse::<rust_decimal::Decimal>() {
        Ok(number) => bareme_show::Locale::from(lang).number(number),
        Err(_) => text.to_owned(),
    };
    let (expected, found) = (shown(&expected), shown(found));

    say!(
        lang,
        "`{field}` : attendu {expected}, obtenu {found}",
        "`{field}`: expected {expected}, got {found}"
    )
}

/// Executes a command of a code lens.
pub(super) fn execute(
    server: &mut Server,
    parameters: lsp::ExecuteCommandParams,
) -> Result<Option<Value>, String> {
    let arguments = parameters.arguments.unwrap_or_default();
    // The arguments were written by `command`, but any editor may send others: none is trusted.
    let text = |index: usize| {
        arguments
            .get(index)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };

    let lang = server.lang;
    let unknown = || {
        say!(
            lang,
            "Ce cas n’est plus dans le fichier.",
            "This case is no longer in the file."
        )
    };

    let (Some(uri), Some(name)) = (text(0).map(lsp::Uri), text(1)) else {
        return Err(unknown());
    };
    let date = text(2);

    // The case is looked up now, in the text as it is: it may have been renamed since the lens was
    // shown.
    let Some(file) = server.file(&uri) else {
        return Err(unknown());
    };

    let runs = runs(&file);
    let run = find(&runs, &name, date.as_deref()).ok_or_else(unknown)?;
    let (verdict, all) = (verdict(run, lang), all_in_words(run, lang));
    let place = file.root.path.join(file.folder());

    match parameters.command.as_str() {
        SHOW => {
            // The case chosen for the folder is the one whose results are shown beside the steps of
            // the method.
            server.chosen.insert(place, name);
            server.refresh();
        }
        RUN => {
            let kind = if run.outcome.is_ok() {
                lsp::MessageType::Info
            } else {
                lsp::MessageType::Warning
            };
            let message = if run.outcome.is_ok() {
                format!("{name} : {verdict}")
            } else {
                format!("{name} : {all}")
            };
            server.tell::<lsp::ShowMessageNotification>(lsp::ShowMessageParams { kind, message });
        }
        ACCEPT => {
            let answer = say!(lang, "Accepter", "Accept");
            let question = say!(
                lang,
                "{name} : {all}. Les valeurs du programme prennent la place de celles du cas, qui \
                 devient `computed` : il ne prouve rien tant que personne ne l’a refait à la \
                 main.",
                "{name}: {all}. The values of the program take the place of those of the case, \
                 which becomes `computed`: it proves nothing until somebody works it out by hand."
            );
            let no = say!(lang, "Laisser", "Leave");
            // A warning (type 2), since evidence is about to be replaced by what it should prove.
            let asked = json!({
                "type": 2,
                "message": question,
                "actions": [{"title": answer}, {"title": no}],
            });
            server.ask(
                "window/showMessageRequest",
                asked,
                Question::Accept {
                    uri,
                    case: name,
                    date,
                    answer,
                },
            );
        }
        _ => return Err(unknown()),
    }
    Ok(None)
}

fn all_in_words(run: &CaseRun, lang: Lang) -> String {
    let differences = run
        .outcome
        .differences
        .iter()
        .map(|difference| in_words(difference, lang));
    let others = run.outcome.others.errors().map(|found| found.message(lang));
    differences.chain(others).collect::<Vec<_>>().join(" ; ")
}

fn find<'r, 'f>(
    runs: &'r [CaseRun<'f>],
    name: &str,
    date: Option<&str>,
) -> Option<&'r CaseRun<'f>> {
    // Cases of a folder may have the same name on different days.
    let is_it = |run: &&CaseRun| {
        run.case.name == name && run.case.date().map(|date| date.to_string()).as_deref() == date
    };
    runs.iter().find(is_it)
}

impl Question {
    /// Continues after the answer of the editor.
    pub(super) fn answered(self, result: &Value, server: &mut Server) {
        let Self::Accept {
            uri,
            case,
            date,
            answer,
        } = self
        else {
            return;
        };

        // Only the named answer accepts: a closed question has no result.
        if result["title"].as_str() != Some(answer.as_str()) {
            return;
        }

        let Some(edit) = accepted(server, &uri, &case, date.as_deref()) else {
            return;
        };
        // The file may have changed while the question was open, so the edit is made now.
        server.ask(
            "workspace/applyEdit",
            json!({"label": case, "edit": edit}),
            Self::Nothing,
        );
    }
}

/// The edit that accepts the computed values of a case.
fn accepted(
    server: &mut Server,
    uri: &lsp::Uri,
    case: &str,
    date: Option<&str>,
) -> Option<lsp::WorkspaceEdit> {
    let path: PathBuf = uri::path(uri)?;

    let file = server.file(uri)?;
    // A case that passes by now has nothing to accept.
    let runs = runs(&file);
    let run = find(&runs, case, date)?;
    let root = Node::read(
        &RuleFile::new(&file.path, file.text),
        &mut Report::default(),
    )?;

    let now = edited(file.text, run.rewritten(&root, file.text)?.edits);
    // Edits by line rather than the whole text, so that the cursor of the user stays in its place.
    let edits = line_edits(&Lines::new(file.text), file.text, &now);
    let changes = HashMap::from([(server.uri(&path), edits)]);
    Some(lsp::WorkspaceEdit {
        changes: Some(changes),
        ..lsp::WorkspaceEdit::default()
    })
}
