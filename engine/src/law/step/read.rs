//! The reader of steps, by the table of kinds.

use crate::law::formula::{
    Env, ExpectedType, ItemScope, Narrowing, Reads, Symbols, Typed, WithReads,
};
use crate::law::members::LINE;
use crate::law::option;
use crate::law::{Expr, FigureId, StepId, Type};
use crate::text::json::Head;
use crate::text::problem::suggestion;
use crate::text::{Content, Datum, Node, Place, PlacedText, Problem, Report};

use super::{Built, Checked, KINDS, Kind, MODIFIERS, Modifiers, Step, Written};

/// The key of a step that is computed for each item of a group.
const EACH: &str = "each";

/// The annotations of every step, with their meaning for the editor.
pub(crate) const ANNOTATIONS: [(&str, &str); 3] = [
    (EACH, "the group for each item of which it is computed"),
    ("label", "what the payslip calls it, in French"),
    ("law", "article of the law"),
];

/// Keys that every step may have.
fn common() -> impl Iterator<Item = &'static str> {
    MODIFIERS
        .iter()
        .map(|modifier| modifier.name)
        .chain(ANNOTATIONS.map(|(name, _)| name))
}

/// Reads a step; the symbols are those of what is written above it.
pub(crate) fn read_step(
    name: &PlacedText,
    node: &Node,
    env: Env,
    report: &mut Report,
) -> WithReads<Step> {
    let mut step = Step {
        name: name.value.clone(),
        label: node.string_of("label"),
        law: node.string_of("law"),
        kind: &super::formula::KIND,
        keys: Vec::new(),
        outputs: Vec::new(),
        figures: Vec::new(),
        steps: Vec::new(),
        inputs: Vec::new(),
        hidden: 0,
        option: env.option,
        each: None,
        checked: None,
        modifiers: Modifiers::default(),
        depends_on_pays: false,
        already: None,
        is_absent: false,
        is_echo: false,
        line_head: Head::default(),
        place: name.place.clone(),
    };

    // Formatted once, since all payslip lines of the step begin with it.
    step.line_head = line_head(&step);
    // Where the kind is unknown, no key can be checked. The step then has no output, and the
    // formulas that read it are not reported for that.
    let Some(kind) = kind_of(node, report) else {
        return WithReads::of_nothing(step);
    };
    step.kind = kind;

    // The formulas of a step with `each` read the values of one item.
    step.each = node
        .text_of(EACH)
        .and_then(|group| env.symbols.named_group(group, report));
    let items = step.each.map_or(ItemScope::None, ItemScope::Of);

    let mut reader = Reader {
        name,
        node,
        kind,
        known: Vec::new(),
        with: None,
        written: Vec::new(),
        env: Env { items, ..env },
        reads: Reads::default(),
        report,
    };
    let checked = reader.read_kind(&mut step);
    let reads = reader.reads;

    if let Some(checked) = checked {
        step.is_echo = step.modifiers.only_round()
            && checked
                .passes_on()
                .is_some_and(|expr| env.symbols.is_echo(expr));
        step.checked = Some(checked);
    }
    note_reads(&mut step, &reads, env.symbols);
    WithReads { found: step, reads }
}

/// Notes in a step which figures, steps and inputs it reads, and whether its value depends on the
/// pays.
fn note_reads(step: &mut Step, reads: &Reads, symbols: &Symbols) {
    // The columns are sorted by figure: equal figures follow each other.
    step.figures = reads.columns.iter().map(|(figure, _)| *figure).collect();
    step.figures.dedup();

    let reads_pays = |id: &StepId| {
        id.of(&symbols.steps)
            .is_some_and(|step| step.depends_on_pays)
    };
    step.depends_on_pays = reads.sums_months
        || reads.inputs.iter().any(|input| symbols.varies(*input))
        || reads.steps.iter().any(reads_pays);
    step.steps = reads.steps.iter().copied().collect();
    step.inputs = reads.inputs.iter().copied().collect();
}

/// The name and the title of a step as the first members of a line.
fn line_head(step: &Step) -> Head {
    let values = [&step.name, step.title()].map(Datum::Text);
    Head::from_members(
        LINE.iter()
            .zip(values)
            .map(|(member, value)| (member.name, value)),
    )
}

fn kind_of(node: &Node, report: &mut Report) -> Option<&'static Kind> {
    // A step written as a text alone is a formula.
    if node.text().is_some() {
        return Some(&super::formula::KIND);
    }

    // The first key of any other step names its kind.
    let (first, _) = node.entries().first()?;
    let found = KINDS.iter().copied().find(|kind| kind.name == first.value);
    if found.is_none() {
        let names = KINDS.iter().map(|kind| kind.name);
        let near = suggestion(&first.value, names.clone()).map(str::to_owned);
        let kinds = names.collect::<Vec<_>>().join(", ");
        let problem = Problem::UnknownKind {
            found: first.value.clone(),
            kinds,
            near,
        };
        report.error(&first.place, problem);
    }
    found
}

/// The reader of the keys of a step.
pub(crate) struct Reader<'r> {
    pub name: &'r PlacedText,
    pub node: &'r Node,
    pub kind: &'static Kind,
    pub known: Vec<Narrowing>,
    /// The figure of `with`.
    pub with: Option<FigureId>,
    pub written: Vec<(&'static str, Written)>,
    pub env: Env<'r>,
    /// The names that the formulas so far read.
    pub reads: Reads,
    pub report: &'r mut Report,
}

impl Reader<'_> {
    /// Reads the keys; `None` where the step cannot be computed.
    fn read_kind(&mut self, step: &mut Step) -> Option<Box<dyn Checked>> {
        // The conditions come first, since what they establish holds in all the other keys; then
        // the figure of `with`, which fills the keys that are not written.
        self.check_keys();
        step.is_absent = self.conditions(&mut step.modifiers);
        self.with = self.figure("with");

        let Built {
            checked,
            outputs,
            hidden,
        } = (self.kind.read)(self)?;

        let main = outputs
            .iter()
            .find(|output| output.main)
            .map(|output| output.ty);
        step.already = self.modifiers(main, &mut step.modifiers);

        step.keys = self.take_written();
        step.outputs = outputs;
        if step.already.is_some() {
            // A sum over the months less its earlier part is an amount of the month again.
            let main = step.outputs.iter_mut().filter(|output| output.main);
            main.for_each(|output| output.ty = output.ty.of_the_month().unwrap_or(Type::Unknown));
        }

        step.hidden = hidden;
        Some(checked)
    }

    pub(crate) fn error(&mut self, place: &Place, problem: Problem) {
        self.report.error(place, problem);
    }

    fn check_keys(&mut self) {
        for (key, value) in self.node.entries() {
            // The keys that the kind takes, those of every step, and the key that names the kind.
            let kind_keys = self.kind.keys.iter().map(|key| key.name);
            let mut known = kind_keys.chain(common()).chain([self.kind.name]);
            if !known.any(|known| known == key.value) {
                let kind_keys = self.kind.keys.iter().map(|key| key.name).chain(common());
                self.report
                    .error(&key.place, Problem::unknown_key(&key.value, kind_keys));
            } else if matches!(value.content, Content::Empty) {
                self.report.error(
                    &key.place,
                    Problem::EmptyValue {
                        key: key.value.clone(),
                    },
                );
            }
        }
    }

    /// Whether a key is unknown: it is reported, and may be one that is missing.
    fn has_unknown_key(&self) -> bool {
        let kind_keys = self.kind.keys.iter().map(|key| key.name);
        let known: Vec<&str> = kind_keys.chain(common()).chain([self.kind.name]).collect();

        self.node
            .entries()
            .iter()
            .any(|(key, _)| !known.contains(&key.value.as_str()))
    }

    /// The text of the kind's own key.
    pub(crate) fn main_text(&self) -> Option<PlacedText> {
        // A step may be written as its formula alone, without keys.
        self.node
            .text()
            .or_else(|| self.node.text_of(self.kind.name))
            .cloned()
    }

    /// A formula under a key, which is kept for the pages.
    pub(super) fn check(
        &mut self,
        key: &'static str,
        text: &PlacedText,
        expected: ExpectedType,
    ) -> Typed {
        let (typed, formula) = self
            .env
            .check_and_keep(text, expected, &self.known, self.report)
            .recorded_in(&mut self.reads);
        self.keep(key, formula.map(Written::Formula));
        typed
    }

    /// The kind's own key as a formula.
    pub(crate) fn main_formula(&mut self) -> Option<Typed> {
        let text = self.main_text()?;
        Some(self.check(self.kind.name, &text, ExpectedType::default()))
    }

    /// An amount in the kind's own key.
    pub(crate) fn main_amount(&mut self) -> Option<Typed> {
        let text = self.main_text()?;
        let typed = self.check(self.kind.name, &text, ExpectedType::default());

        if !matches!(typed.ty, Type::Money(_) | Type::Unknown) {
            self.error(
                &text.place,
                Problem::NotAnAmount {
                    found: typed.ty.name(),
                },
            );
            return Some(Typed {
                ty: Type::Unknown,
                ..typed
            });
        }
        Some(typed)
    }

    /// A key: what the step writes, else the column of `with` of that name.
    pub(crate) fn key(&mut self, name: &'static str, expected: ExpectedType) -> Option<Typed> {
        // What the step writes comes before the column of the record.
        if let Some(text) = self.node.text_of(name) {
            return Some(self.check(name, text, expected));
        }

        let column_of_with = self.with.and_then(|figure| {
            let shape = figure
                .of(&self.env.symbols.figures)
                .filter(|shape| !shape.has_rows())?;
            let column = shape.column(name)?;
            let found = column.of(&shape.columns)?;
            Some((figure, column, found.ty, found.optional))
        });

        match column_of_with {
            Some((figure, column, ty, optional)) => {
                self.reads.columns.insert((figure, column));

                // A column that may be empty fills only what may be left out, such as a ceiling.
                let fits = expected
                    .ty
                    .is_none_or(|expected| expected.together(ty).is_some());
                if !fits || (optional && !expected.optional) {
                    let place = self.place("with");
                    let expected = expected.ty.map_or("", Type::name);
                    self.error(
                        &place,
                        Problem::ColumnOfOtherType {
                            column: name,
                            expected,
                            found: ty.name(),
                        },
                    );
                }

                Some(Typed {
                    expr: Expr::Column(figure, column),
                    ty,
                })
            }

            None => {
                // A figure that is not there was reported already.
                let is_misnamed = self.with.is_none() && self.node.text_of("with").is_some();
                // A shape with mistakes was reported where it is declared.
                let shape = self
                    .with
                    .and_then(|figure| figure.of(&self.env.symbols.figures));
                let is_unread = shape.is_some_and(|shape| shape.columns.is_empty());
                let is_reported = is_misnamed || is_unread || self.has_unknown_key();
                if !is_reported
                    && self
                        .kind
                        .keys
                        .iter()
                        .any(|key| key.name == name && key.required)
                {
                    self.report.error(
                        &self.name.place,
                        Problem::MissingStepKey {
                            key: name,
                            kind: self.kind.name,
                        },
                    );
                }
                None
            }
        }
    }

    /// Formulas separated by `;`.
    pub(crate) fn formulas(&mut self, name: &'static str) -> Vec<Typed> {
        let Some(text) = self.node.text_of(name) else {
            return Vec::new();
        };

        let (typed, formulas) = self
            .env
            .check_list(text, &self.known, self.report)
            .recorded_in(&mut self.reads);
        self.keep(name, Some(Written::Formulas(formulas)));
        typed
    }

    /// A key that names a figure.
    pub(crate) fn figure(&mut self, name: &'static str) -> Option<FigureId> {
        let text = self.node.text_of(name)?;
        self.keep(name, Some(Written::Name(text.value.clone())));

        // The name is kept even where it is wrong, and its mistake is reported here.
        let found = self.env.figure(&text.value);
        match found {
            Some(figure) => self.check_given(figure, &text.place),
            None => {
                let problem = Problem::unknown_figure(&text.value, self.env.figure_names());
                self.report
                    .error(&text.place, option::unknown(&text.value, self.env, problem));
            }
        }
        found
    }

    /// A figure that may be absent is read where it is known to be there.
    pub(crate) fn check_given(&mut self, figure: FigureId, place: &Place) {
        if let Some(problem) = self.env.symbols.unguarded(figure, &self.known) {
            self.report.error(place, problem);
        }
    }

    /// The place of a key, or of the step.
    pub(crate) fn place(&self, key: &str) -> Place {
        self.node
            .text_of(key)
            .map_or(&self.name.place, |text| &text.place)
            .clone()
    }
}
