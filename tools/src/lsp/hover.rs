//! Hover: the text for the word under the mouse.

mod example;
mod names;

use bareme_engine::law::{BoundWord, FUNCTIONS};
use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::say;
use gen_lsp_types as lsp;
use jiff::civil::Date;

use super::cursor::{Cursor, Slot};
use super::index::{FileKind, Holds, Symbol, holds};
use super::manual;
use super::server::{File, Server};
use names::input;

pub(super) use example::{ANY_DAY, edition_of, example};

/// Answers a request for a hover.
pub(super) fn hover(
    server: &mut Server,
    parameters: lsp::HoverParams,
) -> Result<Option<lsp::Hover>, String> {
    let at = parameters.text_document_position_params;
    // Copied before the file borrows the server.
    let lang = server.lang;
    let chosen = server.chosen.clone();
    let Some(file) = server.file(&at.text_document.uri) else {
        return Ok(None);
    };

    let offset = file.lines().offset(at.position);
    let cursor = Cursor::at(file.text, offset);

    let chosen = chosen
        .get(&file.root.path.join(file.folder()))
        .map(String::as_str);
    let context = HoverContext {
        file: &file,
        lang,
        chosen,
    };
    let Some(text) = context.text(&cursor, offset) else {
        return Ok(None);
    };

    let content = lsp::MarkupContent {
        kind: lsp::MarkupKind::Markdown,
        value: text,
    };
    Ok(Some(lsp::Hover {
        contents: content.into(),
        range: Some(file.lines().range(&cursor.word)),
    }))
}

/// The file of the request.
struct HoverContext<'a> {
    file: &'a File<'a>,
    lang: Lang,
    /// The case that the user has selected.
    chosen: Option<&'a str>,
}

impl HoverContext<'_> {
    fn text(&self, cursor: &Cursor, offset: usize) -> Option<String> {
        let path = cursor.keys();
        let word = self
            .file
            .text
            .get(cursor.word.clone())
            .filter(|word| !word.is_empty())?;
        let kind = FileKind::from_path(&self.file.path);

        let symbol = self
            .file
            .root
            .index(self.file.folder())?
            .at(&self.file.path, offset);

        // 1. A name of the rules.
        // A name of the rules never has the meaning of a key that is spelled the same; the title of a
        // folder is no name.
        if let Some(found) = symbol.filter(|found| found.symbol != Symbol::Folder) {
            let text = match &found.symbol {
                Symbol::Of(folder, symbol) => self.of_other_folder(folder, symbol),
                symbol => self.symbol(symbol),
            };
            return Some(text.unwrap_or_else(|| self.unknown(word)));
        }

        // 2. A key of the format.
        if let Slot::Key { .. } = &cursor.slot {
            let sentence =
                manual::sentence(kind, &path, word, self.kind_of_step(&path).as_deref())?;
            return Some(format!("`{word}` — {sentence}"));
        }

        // 3. A value of a dated file: what its figure is.
        if let (FileKind::Scale, ["figures", figure, .., column]) = (kind, path.as_slice())
            && self.is_column(figure, column)
        {
            return self.symbol(&Symbol::Figure((*figure).to_owned()));
        }

        // 4. In a formula: a function, or an attribute of the dated file.
        if let Some(function) = FUNCTIONS.iter().find(|function| function.name == word) {
            return Some(format!(
                "`{word}(…)` — {}",
                function.help.in_lang(self.lang)
            ));
        }
        let start = cursor.word.start;
        let is_of_scale = self
            .file
            .text
            .get(..start)
            .is_some_and(|before| before.ends_with("scale."));
        if is_of_scale && let Some(sentence) = manual::of_scale(word) {
            return Some(format!("`scale.{word}` — {sentence}"));
        }

        // 5. A word that is a value.
        self.of_value(cursor, &path)
    }

    /// Help of the key whose value is a word: `month` of `per`, `law` of `kind`.
    fn of_value(&self, cursor: &Cursor, path: &[&str]) -> Option<String> {
        let Slot::Value { start } = cursor.slot else {
            return None;
        };
        let (key, around) = path.split_last()?;
        // Only the first word is a value: after it, or in a formula, a word means something else.
        let before = self.file.text.get(start..cursor.word.start)?;
        let kind = FileKind::from_path(&self.file.path);
        if !before.trim().is_empty() || holds(kind, path) == Some(Holds::Formula) {
            return None;
        }
        let sentence = manual::sentence(kind, around, key, self.kind_of_step(around).as_deref())?;
        Some(format!("`{key}` — {sentence}"))
    }

    fn is_column(&self, figure: &str, column: &str) -> bool {
        let names = self
            .file
            .root
            .index(self.file.folder())
            .and_then(|index| index.names_of(&self.file.path));
        BoundWord::from_word(column).is_some()
            || names.is_some_and(|names| names.has_column(figure, column))
    }

    /// The text for a name that no state of the folder without a mistake has.
    fn unknown(&self, word: &str) -> String {
        say!(
            self.lang,
            "`{word}` — rien à montrer tant que le dossier a une erreur.",
            "`{word}` — nothing to show while the folder has a mistake."
        )
    }

    /// The kind of the step around the cursor.
    fn kind_of_step(&self, path: &[&str]) -> Option<String> {
        let [.., "steps", step] = path else {
            return None;
        };
        let names = self
            .file
            .root
            .index(self.file.folder())?
            .names_of(&self.file.path)?;
        names.steps.get(*step).map(|step| step.kind.clone())
    }

    fn symbol(&self, symbol: &Symbol) -> Option<String> {
        let folder = self.file.root.folder(self.file.folder())?;
        let text = self.text_of(symbol, folder, self.edition(folder)?)?;

        // The rules in memory may be older than the text: readers must know.
        let is_old = !self.file.root.is_right(self.file.folder());
        let old = say!(
            self.lang,
            "\n\n*D’après le dernier état sans erreur du dossier.*",
            "\n\n*From the last state of the folder without a mistake.*"
        );
        Some(if is_old { text + &old } else { text })
    }

    /// The text for a name of another folder, as that folder is computed today.
    fn of_other_folder(&self, path: &str, symbol: &Symbol) -> Option<String> {
        let root = self.file.root;
        let folder = root.called_folder(path, self.file.folder())?;
        let edition = folder.edition(root.today());
        let edition = edition.or_else(|| folder.latest())?;
        let title = folder.title();
        if *symbol == Symbol::Folder {
            return Some(format!("**{title}** · `{path}`"));
        }

        let text = self.text_of(symbol, folder, edition)?;
        Some(say!(
            self.lang,
            "{text}\n\nDossier `{path}` : {title}.",
            "{text}\n\nFolder `{path}`: {title}."
        ))
    }

    /// The text for a name of a folder.
    fn text_of(&self, symbol: &Symbol, folder: &Folder, edition: &Edition) -> Option<String> {
        let method = edition.method();
        Some(match symbol {
            Symbol::Input(name) => {
                let parameters = method.inverses().iter().map(|inverse| &inverse.parameter);
                let mut inputs = method.inputs().iter().chain(parameters);
                input(inputs.find(|input| input.name == *name)?, method, self.lang)
            }
            Symbol::Group(name) => {
                let group = method.groups().iter().find(|group| group.name == *name)?;
                let (label, least, most) = (&group.label, group.least, group.most);
                say!(
                    self.lang,
                    "**{label}** : de {least} à {most} éléments",
                    "**{label}**: {least} to {most} items"
                )
            }
            Symbol::Figure(name) | Symbol::Column(name, _) => self.figure(folder, edition, name)?,
            Symbol::Step(name) => self.step(
                folder,
                edition,
                method.steps().iter().find(|step| step.name == *name)?,
            ),
            Symbol::Field(name) => self.field(folder, edition, name)?,
            Symbol::Source(id) => self.source(edition, id)?,
            Symbol::Folder | Symbol::Of(..) => return None,
        })
    }

    /// The edition for a file: its own, or the current one of its method.
    fn edition<'f>(&self, folder: &'f Folder) -> Option<&'f Edition> {
        let name = self
            .file
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".yaml");
        // A dated file is that of its day.
        if let Ok(day) = name.parse::<Date>() {
            let is_it = |edition: &&Edition| edition.scale().is_some_and(|scale| scale.date == day);
            return folder
                .editions()
                .iter()
                .find(is_it)
                .or_else(|| folder.latest());
        }

        // A method is shown as it is computed today; a file of cases uses the main method.
        let method = if FileKind::from_path(&self.file.path) == FileKind::Method {
            name
        } else {
            "method"
        };
        edition_of(folder, method, self.file.root.today()).or_else(|| folder.latest())
    }
}
