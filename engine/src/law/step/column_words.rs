//! The words of the columns of figures and of the outputs of steps that the language names.

use crate::text::Text;

/// The columns of figures and the outputs of steps that the language names, in words.
static COLUMNS: &[(&str, Text)] = &[
    ("rate", Text::new("taux", "rate")),
    ("floor", Text::new("plancher", "floor")),
    ("ceiling", Text::new("plafond", "ceiling")),
    ("over", Text::new("au-delà de", "over")),
    ("base", Text::new("assiette", "base")),
    ("min", Text::new("minimum", "minimum")),
    ("max", Text::new("maximum", "maximum")),
    ("less", Text::new("à déduire", "to deduct")),
    ("plus", Text::new("à ajouter", "to add")),
    ("payment", Text::new("mensualité", "payment")),
    (
        "last_payment",
        Text::new("dernière mensualité", "last payment"),
    ),
    ("interest", Text::new("intérêts", "interest")),
    (
        "insurance",
        Text::new("assurance par mois", "monthly insurance"),
    ),
    (
        "insurance_total",
        Text::new("total de l’assurance", "total of the insurance"),
    ),
    ("cost", Text::new("coût du crédit", "cost of the credit")),
    ("apr", Text::new("TAEG", "annual percentage rate")),
];

/// The words of a column or of an output, if the language names it: `ceiling` is a `plafond`.
///
/// ```
/// let words = bareme_engine::law::column_words("ceiling").map(|words| words.fr);
/// assert_eq!(words, Some("plafond"));
/// ```
pub fn column_words(name: &str) -> Option<Text> {
    COLUMNS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, words)| *words)
}
