//! Completion of values: names in formulas and lists, and words.

use bareme_engine::law::{FUNCTIONS, ScaleField, Type};
use gen_lsp_types as lsp;
use serde_json::Value;

use super::super::index::{FileKind, Holds, holds, in_method};
use super::super::names::{Column, Names};
use super::{CompletionContext, Item, inside};

impl CompletionContext<'_> {
    pub(super) fn values(&self, path: &[&str], start: usize) -> Vec<Item> {
        let before = self.file.text.get(start..self.offset).unwrap_or_default();

        let inside = if self.kind == FileKind::Method {
            in_method(path)
        } else {
            path.to_vec()
        };

        // 1. By the kind of value that the key has, which is declared once for all keys.
        let found = match holds(self.kind, path) {
            Some(Holds::Formula) if matches!(inside.as_slice(), ["inputs", ..]) => self.inputs(""),
            Some(Holds::Formula) => self.formula(before, &inside),
            Some(Holds::Figure) => self.figures(&inside),
            Some(Holds::Input | Holds::Options) => self.inputs(""),
            Some(Holds::Group) => self.groups(),
            Some(Holds::Steps) => self.steps(usize::MAX),
            Some(Holds::Fields) => self.fields(""),
            Some(Holds::Sources) => self.sources(),
            Some(Holds::Columns | Holds::Sentence) | None => Vec::new(),
        };

        // 2. The values given in a case depend on the input they are for.
        if let (FileKind::Cases, ["cases", "given", input]) = (self.kind, path) {
            return self.words(input);
        }

        if !found.is_empty() {
            return found;
        }

        // 3. What the schema of the file lists.
        match (self.kind, inside.as_slice()) {
            (FileKind::Method, ["figures", _, _] | ["figures" | "inputs", _, .., "type"]) => {
                self.types(path)
            }
            (FileKind::Scale, ["figures", .., "per"])
            | (FileKind::Method, ["inputs", _, "per"]) => periods(),
            _ => self.values_of_schema(path),
        }
    }

    /// The types that a column or an input may have: those that the schema names, and those of
    /// columns.
    fn types(&self, path: &[&str]) -> Vec<Item> {
        // A key of the schema with listed values has only these; a column may also be a key of its
        // table.
        let of_schema = self.values_of_schema(path);
        if !of_schema.is_empty() {
            return of_schema;
        }
        let columns = Type::WRITTEN.iter().map(|(name, _)| *name).chain(["key"]);
        columns
            .map(|name| Item::new(name, lsp::CompletionItemKind::TypeParameter))
            .collect()
    }

    /// Completions in a formula: after a point the members of the name before it, else inputs,
    /// earlier steps, figures, functions.
    fn formula(&self, before: &str, path: &[&str]) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };

        // 1. After a point: the members of the name before it.
        let word = self.cursor.word.start;
        let head = self.file.text.get(..word).unwrap_or_default();
        if let Some(owner) = head.strip_suffix('.') {
            let start = owner
                .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .map_or(0, |at| at + 1);
            return members(owner.get(start..).unwrap_or_default(), names);
        }

        // 2. After `=` or `!=`: the words of the choice on the left.
        let compared = before
            .get(
                ..before
                    .len()
                    .saturating_sub(self.offset.saturating_sub(word)),
            )
            .unwrap_or_default();
        if let Some(left) = compared.trim_end().strip_suffix('=') {
            let left = left.trim_end_matches(['!', ' ']);
            let start = left
                .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .map_or(0, |at| at + 1);
            let words = self.words(left.get(start..).unwrap_or_default());
            if !words.is_empty() {
                return words;
            }
        }

        // 3. Anything that has a value.
        // A formula may read the steps above it, a field all steps.
        let end = if path.first() == Some(&"steps") {
            self.offset
        } else {
            usize::MAX
        };

        // A table with keys or bounds has no single value: `table` and `brackets` steps read it.
        let figures = names.figures.iter().filter(|(_, columns)| {
            columns
                .iter()
                .all(|column| !column.is_key && column.name != "bound")
        });
        // A formula reads a column of a figure, never the figure itself.
        let figures = figures.flat_map(|(name, columns)| {
            columns.iter().map(move |column| {
                Item::new(
                    format!("{name}.{}", column.name),
                    lsp::CompletionItemKind::Struct,
                )
                .detail(Some("chiffre"))
            })
        });

        let functions = FUNCTIONS.iter().map(|function| {
            Item::new(function.name, lsp::CompletionItemKind::Function)
                .text(format!("{}(", function.name))
                .help(Some(function.help.fr))
        });
        let words = ["if ", "then ", "else ", "and ", "or ", "not "];
        let words = words
            .iter()
            .map(|word| Item::new(word.trim_end(), lsp::CompletionItemKind::Keyword).text(*word));

        // The order is that of likelihood: what an author reads most comes first.
        self.inputs("")
            .into_iter()
            .chain(self.steps(end))
            .chain(figures)
            .chain(functions)
            .chain(words)
            .collect()
    }

    pub(super) fn inputs(&self, after: &str) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };

        let folder = self.file.root.folder(self.file.folder());
        let inputs = folder.map(|folder| folder.inputs()).unwrap_or_default();
        // Parameters such as `date` are sent in cases, where a key is completed (`after` is `: `),
        // but are read by no formula.
        let parameters = names.parameters.iter().filter(|_| !after.is_empty());
        let item = |name: &String| {
            let label = inputs
                .iter()
                .find(|input| input.name == *name)
                .map(|input| input.label.clone());
            Item::new(name, lsp::CompletionItemKind::Variable)
                .text(format!("{name}{after}"))
                .detail(label)
        };
        names.inputs.keys().chain(parameters).map(item).collect()
    }

    fn steps(&self, end: usize) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let mut steps: Vec<(&String, usize)> = names
            .steps
            .iter()
            .map(|(name, step)| (name, step.start))
            .filter(|(_, start)| *start < end)
            .collect();
        // The step itself is the last one above the cursor.
        steps.sort_by_key(|(_, start)| std::cmp::Reverse(*start));
        let is_inside = end != usize::MAX;

        // Labels are those of the last state without errors, since the text may be unreadable now.
        let labels = self
            .file
            .root
            .folder(self.file.folder())
            .and_then(|folder| folder.latest());
        let label = |name: &str| {
            let step = labels?
                .method()
                .steps()
                .iter()
                .find(|step| step.name == name)?;
            step.label.clone()
        };

        let above = steps.into_iter().skip(usize::from(is_inside));
        above
            .map(|(name, _)| Item::new(name, lsp::CompletionItemKind::Field).detail(label(name)))
            .collect()
    }

    fn groups(&self) -> Vec<Item> {
        let names = self.names();
        let groups = names
            .map(|names| names.groups.as_slice())
            .unwrap_or_default();
        groups
            .iter()
            .map(|name| Item::new(name, lsp::CompletionItemKind::Class))
            .collect()
    }

    fn figures(&self, path: &[&str]) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };

        // A table is looked up by a key or a bound.
        let is_looked_up = |columns: &[Column]| {
            columns
                .iter()
                .any(|column| column.is_key || column.name == "bound")
        };
        let wants_rows = matches!(path, [.., "table" | "rows"]);
        let brackets = names
            .steps
            .get(path.get(1).copied().unwrap_or_default())
            .is_some_and(|step| step.kind == "brackets");
        let fits = |columns: &[Column]| is_looked_up(columns) == (wants_rows || brackets);

        let item = |(name, columns): (&String, &Vec<Column>)| {
            let columns = columns
                .iter()
                .map(|column| column.name.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            Item::new(name, lsp::CompletionItemKind::Struct).detail(Some(columns))
        };

        names
            .figures
            .iter()
            .filter(|(_, columns)| fits(columns))
            .map(item)
            .collect()
    }

    pub(super) fn fields(&self, after: &str) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };

        let folder = self.file.root.folder(self.file.folder());
        let fields = folder.map(|folder| folder.fields()).unwrap_or_default();
        let label = |name: &str| {
            fields
                .iter()
                .find(|field| field.name == name)?
                .label
                .clone()
        };
        let item = |name: &String| {
            Item::new(name, lsp::CompletionItemKind::Field)
                .text(format!("{name}{after}"))
                .detail(label(name))
        };

        names.fields.iter().map(item).collect()
    }

    /// The sources of the file, those that only evidence may name too: the engine says which. A
    /// file in which something is being written is seldom YAML: its lines are read.
    fn sources(&self) -> Vec<Item> {
        let lines = self
            .file
            .text
            .lines()
            .skip_while(|line| !line.starts_with("sources:"))
            .skip(1);

        // The section ends at the next key that is not indented.
        let is_inside = |line: &&str| line.is_empty() || line.starts_with([' ', '#', '\r']);
        let entry = |line: &str| {
            let (id, rest) = line.strip_prefix("  ")?.split_once(':')?;
            let is_id = !id.is_empty()
                && id
                    .bytes()
                    .all(|sign| sign.is_ascii_alphanumeric() || b"-_".contains(&sign));
            let title = rest
                .split_once("title: \"")
                .and_then(|(_, title)| title.split('"').next());
            is_id.then(|| Item::new(id, lsp::CompletionItemKind::Reference).detail(title))
        };

        lines.take_while(is_inside).filter_map(entry).collect()
    }

    /// The words of a choice, or of a boolean.
    fn words(&self, input: &str) -> Vec<Item> {
        // The words come from the method as it is being edited, their labels from its last good
        // state.
        let words = self
            .names()
            .and_then(|names| names.inputs.get(input))
            .cloned()
            .unwrap_or_default();

        let folder = self.file.root.folder(self.file.folder());
        let declared =
            folder.and_then(|folder| folder.inputs().into_iter().find(|own| own.name == input));

        if words.is_empty() && declared.is_some_and(|declared| declared.ty.name() == "boolean") {
            return ["true", "false"]
                .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember))
                .into();
        }

        let label = |word: &str| {
            Some(
                declared?
                    .values
                    .iter()
                    .find(|(value, _)| value == word)?
                    .1
                    .clone(),
            )
        };

        words
            .iter()
            .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember).detail(label(word)))
            .collect()
    }

    /// The values that the schema lists.
    fn values_of_schema(&self, path: &[&str]) -> Vec<Item> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let mut words: Vec<String> = Vec::new();
        for found in inside(&schema, path) {
            let listed = found["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .chain([&found["const"]]);
            // Numbers are not listed: an editor would propose examples as if they were the only
            // ones.
            let shown = listed.filter_map(|word| match word {
                Value::String(word) => Some(word.clone()),
                Value::Bool(word) => Some(word.to_string()),
                _ => None,
            });
            words.extend(shown);
        }
        // Several forms of the schema may list the same words.
        words.dedup();
        words.sort();
        words.dedup();

        words
            .into_iter()
            .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember))
            .collect()
    }
}

/// The periods that amounts may be of.
fn periods() -> Vec<Item> {
    // The periods are in the names of the types of amounts, `money/month`.
    let periods = Type::WRITTEN
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("money/"));

    periods
        .map(|period| Item::new(period, lsp::CompletionItemKind::EnumMember))
        .collect()
}

/// The outputs of a step, the columns of a figure, or the attributes of the scale.
fn members(owner: &str, names: &Names) -> Vec<Item> {
    // `scale` is the dated file itself, whose day a formula may read.
    if owner == "scale" {
        let attributes = ScaleField::ALL.iter();
        return attributes
            .map(|(name, _)| Item::new(*name, lsp::CompletionItemKind::Property))
            .collect();
    }

    // A step and a figure may have the same name: both are possible until the formula is complete.
    let outputs = names
        .steps
        .get(owner)
        .map(|step| names.outputs(step))
        .unwrap_or_default();
    let columns = names
        .figures
        .get(owner)
        .into_iter()
        .flatten()
        .filter(|column| !column.is_key && column.name != "bound");

    let mut members: Vec<String> = outputs
        .into_iter()
        .chain(columns.map(|column| column.name.clone()))
        .collect();
    members.dedup();

    members
        .into_iter()
        .map(|name| Item::new(name, lsp::CompletionItemKind::Property))
        .collect()
}
