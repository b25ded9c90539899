//! Presentation of a method: its headline fields, the curves drawn of them, and the measure by
//! which two answers are compared. No answer of the API depends on it.

use rust_decimal::Decimal;

use crate::law::formula::Symbols;
use crate::law::input::literal;
use crate::law::{Field, InputId, Presence, StepId, Type};
use crate::say;
use crate::text::{Node, PlacedText, Problem, Report, Text};

/// The value of `as` for a fraction that is shown in percent.
pub(crate) const PERCENT: &str = "percent";

/// A headline field, shown above the others.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let first = method.headlines().first().ok_or("no headline")?;
/// assert_eq!(method.fields()[first.field].name, "tva");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Headline {
    /// The field, by index.
    pub field: usize,
    /// Its label as a headline, where it differs from that of the field.
    pub label: Option<String>,
    /// Whether it is a fraction that is shown in percent, as a rate is.
    pub is_percent: bool,
    /// Parameters to send where the query leaves them out, to get an answer that has the field.
    pub assumed: Vec<(String, String)>,
    /// The step that gives the number of months that the amount covers.
    pub months: Option<StepId>,
    /// What the field is to the person or company that the calculation is for.
    pub role: Option<Role>,
}

/// What a field is to the person or company that a calculation is for: it says which change of it
/// is a gain.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["is"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("is").ok_or("no such folder")?;
/// use bareme_engine::law::Role;
///
/// let measure = folder.latest().and_then(|edition| edition.method().measure());
/// assert_eq!(measure.ok_or("no measure")?.role, Some(Role::Levy));
/// assert!(!Role::Levy.gains_by_more());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What is left of the amount: the rest of it is withheld.
    Net,
    /// What is taken of the amount, or what it costs.
    Levy,
    /// What is paid by reason of the amount, such as an allowance.
    Benefit,
}

impl Role {
    /// The words in rule files.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("net", Self::Net),
        ("levy", Self::Levy),
        ("benefit", Self::Benefit),
    ];

    /// Whether more of the field is a gain.
    pub fn gains_by_more(self) -> bool {
        matches!(self, Self::Net | Self::Benefit)
    }
}

/// A curve of a field over an amount.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["ir"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let curve = method.curve().ok_or("no curve")?;
/// assert_eq!(curve.input.of(method.inputs()).map(|input| input.name.as_str()), Some("revenu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FieldCurve {
    /// The input on the horizontal axis.
    pub input: InputId,
    /// The field, by index.
    pub field: usize,
    /// An increase of the input whose effect on the field is described.
    pub more: Option<Decimal>,
}

/// An amount that is paid once beside the usual one, such as a thirteenth month.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire-net/sn"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/sn").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let once = method.once().ok_or("nothing is paid once")?;
/// assert_eq!(once.input.of(method.inputs()).map(|input| input.name.as_str()), Some("primes"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Once {
    /// The input that it is sent by.
    pub input: InputId,
    /// Its label, in French.
    pub label: String,
    /// Parameters to send with it where the query leaves them out.
    pub assumed: Vec<(String, String)>,
}

/// Reads the entries of the key `headline`, which may be fields of options.
pub(crate) fn read_headlines(
    node: &Node,
    symbols: &Symbols,
    answer: &[Field],
    report: &mut Report,
) -> Vec<Headline> {
    let entries = node.items_of("headline");
    entries
        .iter()
        .filter_map(|entry| read_headline(entry, symbols, answer, report))
        .collect()
}

fn read_headline(
    node: &Node,
    symbols: &Symbols,
    answer: &[Field],
    report: &mut Report,
) -> Option<Headline> {
    let field = node
        .text_of("field")
        .and_then(|name| read_field(name, answer, report));

    let assumed = read_assumed(node, symbols, report);

    let months = node.text_of("months").and_then(|name| {
        let found = StepId::find(&symbols.steps, |step| step.name == name.value);
        // A step may be absent from the scale of the day.
        if found.is_none()
            && !symbols
                .absent_steps
                .iter()
                .any(|step| step.name == name.value)
        {
            let known = symbols.steps.iter().map(|step| step.name.as_str());
            report.error(&name.place, Problem::unknown_step(&name.value, known));
        }
        found
    });

    let form = node.text_of("as").filter(|form| form.value == PERCENT);
    let is_percent = form.is_some();
    let shown = field.and_then(|field| answer.get(field));
    if let (Some(form), Some(field)) = (form, shown.filter(|field| field.is_money())) {
        let name = field.name.clone();
        report.error(&form.place, Problem::AmountInPercent { name });
    }

    // The schema refuses any word that is not in the table.
    let role = node.string_of("role");
    let role = Role::WORDS
        .iter()
        .find(|(word, _)| role.as_deref() == Some(*word))
        .map(|(_, role)| *role);

    Some(Headline {
        field: field?,
        label: node.string_of("label"),
        is_percent,
        assumed,
        months,
        role,
    })
}

/// Reads the key `assume`: parameters that are sent where the query leaves them out.
pub(crate) fn read_assumed(
    node: &Node,
    symbols: &Symbols,
    report: &mut Report,
) -> Vec<(String, String)> {
    read_parameters(node, "assume", symbols, report)
}

/// Reads a map of parameters, each with a value that a caller could send.
pub(crate) fn read_parameters(
    node: &Node,
    key: &str,
    symbols: &Symbols,
    report: &mut Report,
) -> Vec<(String, String)> {
    let mut sent = Vec::new();
    for (name, value) in node.entries_of(key) {
        let found = symbols
            .named_input(name, report)
            .and_then(|input| input.of(&symbols.inputs));
        let Some(input) = found else { continue };
        let Some(text) = value.text() else { continue };
        // The value is sent as it is: it must be one that a caller could send.
        if let Err(bad) = input.parse(&text.value) {
            report.error(
                &text.place,
                Problem::AssumedValue {
                    text: text.value.clone(),
                    accepted: bad.expected,
                },
            );
        }

        sent.push((name.value.clone(), text.value.clone()));
    }

    sent
}

/// Reads the key `curve`.
pub(crate) fn read_curve(
    node: &Node,
    symbols: &Symbols,
    answer: &[Field],
    report: &mut Report,
) -> Option<FieldCurve> {
    let node = node.get("curve")?;

    let curve = say!("une courbe", "a curve");
    let input = read_amount_input(node, "input", symbols, curve, report);

    let text = node.text_of("field")?;
    let field = read_field(text, answer, report)?;

    // Both axes are amounts.
    if answer
        .get(field)
        .is_some_and(|field| !field.is_plain_amount())
    {
        report.error(
            &text.place,
            Problem::FieldIsNoAmount {
                name: text.value.clone(),
            },
        );
    }

    Some(FieldCurve {
        input: input?,
        field,
        more: literal(node, "more", Type::Number, report),
    })
}

/// Reads the key `once`, an amount that may be left out.
pub(crate) fn read_once(node: &Node, symbols: &Symbols, report: &mut Report) -> Option<Once> {
    let node = node.get("once")?;

    let name = node.text_of("input")?;
    let input = symbols.named_input(name, report)?;
    let model = input.of(&symbols.inputs)?;
    let is_amount = matches!(model.ty, Type::Money(_)) && model.group.is_none();
    if !is_amount || matches!(model.presence, Presence::Required) {
        report.error(
            &name.place,
            Problem::NotPaidOnce {
                name: name.value.clone(),
            },
        );
    }

    Some(Once {
        input,
        label: node.string_of("label").unwrap_or_default(),
        assumed: read_assumed(node, symbols, report),
    })
}

/// Checks the fields by which two answers are compared, the first headline and that of the curve:
/// each is a result of the law, of which a headline says what it is to whoever the calculation is
/// for.
pub(crate) fn check_measure(
    node: &Node,
    headlines: &[Headline],
    answer: &[Field],
    report: &mut Report,
) {
    let first = node
        .items_of("headline")
        .first()
        .and_then(|entry| entry.text_of("field"));
    let of_curve = node.get("curve").and_then(|curve| curve.text_of("field"));

    // The first headline and the field of the curve may be the same one: each is checked at its
    // place.
    for named in [first, of_curve].into_iter().flatten() {
        let Some((index, field)) = answer
            .iter()
            .enumerate()
            .find(|(_, field)| field.name == named.value)
        else {
            // An unknown field was reported when it was read.
            continue;
        };

        let name = named.value.clone();
        let has_role = headlines
            .iter()
            .any(|headline| headline.field == index && headline.role.is_some());

        // An input, even rounded, says nothing of what the law does to it.
        if field.is_echo() {
            report.error(&named.place, Problem::MeasureIsInput { name });
        } else if field.json_type() != "number" {
            report.error(&named.place, Problem::FieldIsNoAmount { name });
        } else if !has_role {
            let roles = Role::WORDS.map(|(word, _)| word).join(", ");
            report.error(&named.place, Problem::MeasureWithoutRole { name, roles });
        }
    }
}

/// The input of an amount that an entry names, one for all items of a group.
pub(crate) fn read_amount_input(
    node: &Node,
    key: &str,
    symbols: &Symbols,
    what: Text<String>,
    report: &mut Report,
) -> Option<InputId> {
    let name = node.text_of(key)?;
    let input = symbols.named_input(name, report);
    let model = input.and_then(|input| input.of(&symbols.inputs));
    if let Some((model, group)) = model.and_then(|model| Some((model, model.group?))) {
        report.error(&name.place, symbols.use_of_items(&model.name, group, what));
    }
    if let Some(model) = model.filter(|model| !matches!(model.ty, Type::Money(_) | Type::Unknown)) {
        report.error(
            &name.place,
            Problem::NotAnAmount {
                found: model.ty.name(),
            },
        );
    }
    input
}

/// The field that a name is of.
pub(crate) fn read_field(
    name: &PlacedText,
    answer: &[Field],
    report: &mut Report,
) -> Option<usize> {
    let found = answer.iter().position(|known| known.name == name.value);
    if found.is_none() {
        let known = answer.iter().map(|known| known.name.as_str());
        report.error(&name.place, Problem::unknown_field(&name.value, known));
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, folder};

    const KEYS: &str = "figures:
  f: {v: rate}
  plafond: {montant: money/month}
steps:
  rond: {formula: brut, round: 1, when: brut > 0}
  choix: if cadre then rond else brut
  borne: {formula: brut, at_most: plafond.montant}
  taxe: brut * f.v
answer:
  brut: brut
  rond: rond
  choix: choix
  borne: borne
  taxe: taxe
  net: {value: brut - taxe}
  mot: {text: mot}
";
    const FIGURES: &str =
        "  f: {v: 10%, source: s}\n  plafond: {montant: 1 000, per: month, source: s}";

    fn with(keys: &str) -> String {
        format!("{GROSS}{KEYS}{keys}")
    }

    #[test]
    fn an_echo_is_an_input_or_a_step_that_only_passes_it_on() {
        let folder = folder(&with(""), FIGURES);
        let fields = folder.latest().unwrap().method().fields().iter();
        let echoes: Vec<&str> = fields
            .filter(|field| field.is_echo())
            .map(|field| field.name.as_str())
            .collect();
        assert_eq!(echoes, ["brut", "rond", "choix"]);
    }

    #[test]
    fn two_answers_are_compared_by_a_result_whose_role_is_known() {
        for (keys, expected) in [
            (
                "headline: [{field: taxe, role: levy}, {field: brut}]",
                &[][..],
            ),
            (
                "headline: [{field: net, role: net}]\ncurve: {input: brut, field: net}",
                &[],
            ),
            ("headline: [{field: brut, role: net}]", &["A13"]),
            ("headline: [{field: choix, role: net}]", &["A13"]),
            ("headline: [{field: mot, role: net}]", &["A07"]),
            ("headline: [{field: taxe}]", &["A14"]),
            (
                "headline: [{field: taxe, role: levy}, {field: net}]\ncurve: {input: brut, field: \
                 net}",
                &["A14"],
            ),
            (
                "headline: [{field: taxe, role: levy}]\ncurve: {input: brut, field: rond}",
                &["A13"],
            ),
            ("headline: [{field: tax, role: levy}]", &["A06"]),
        ] {
            assert_eq!(errors(&with(keys), FIGURES), expected, "{keys}");
        }
    }

    #[test]
    fn the_measure_is_the_field_of_the_curve_else_the_first() {
        let measure = |keys: &str| {
            let folder = folder(&with(keys), FIGURES);
            let method = folder.latest().unwrap().method();
            method
                .measure()
                .map(|measure| method.fields()[measure.field].name.clone())
        };
        let headline = "headline: [{field: taxe, role: levy}, {field: net, role: net}]\n";
        assert_eq!(measure(headline).as_deref(), Some("taxe"));
        assert_eq!(
            measure(&format!("{headline}curve: {{input: brut, field: net}}")).as_deref(),
            Some("net")
        );
        assert_eq!(measure(""), None);
    }
}
