//! The keys of a kind of step: one row each, with its form and its meaning.

use crate::text::Text;

/// A key of a kind of step.
///
/// ```
/// use bareme_engine::law::KINDS;
///
/// let loan = KINDS.iter().find(|kind| kind.name == "loan").ok_or("no such kind")?;
/// let required = loan.keys.iter().filter(|key| key.required).map(|key| key.name);
/// assert_eq!(required.collect::<Vec<_>>(), ["months", "rate", "round"]);
/// # Ok::<(), &str>(())
/// ```
#[non_exhaustive]
pub struct StepKey {
    /// The key, as a rule file writes it.
    pub name: &'static str,
    /// The form of its text.
    pub form: KeyForm,
    /// Whether it must be there, written or filled by `with`.
    pub required: bool,
    /// Its meaning, for the manuals and the editor.
    pub help: Text,
    /// The phrase printed before its value where a page says how a step is computed; none: it is
    /// left out.
    pub phrase: Option<Text>,
}

/// The form of the text of a key of a step; the [`StepKey`] in the row of its kind says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// A formula.
    Formula,
    /// Formulas separated by `;`.
    Formulas,
    /// The name of a figure.
    Figure,
    /// The name of an input.
    Input,
    /// A period.
    Period,
    /// Roundings separated by `;`.
    Rounding,
    /// The path of another folder.
    Folder,
    /// A map: a formula for each input of another folder.
    Given,
    /// The name of a field of another folder.
    Field,
    /// The day of the calculation of another folder.
    Day,
}

/// The key of the kinds that take their values from a record.
pub(super) const WITH: StepKey = StepKey {
    name: "with",
    form: KeyForm::Figure,
    required: false,
    help: Text::new(
        "le chiffre à un seul enregistrement dont les colonnes remplissent les clés de même nom",
        "the record figure whose columns fill the keys of the same names",
    ),
    phrase: Some(Text::new("chiffres de", "figures of")),
};

/// Lists the keys of a kind of step: each with the form of its text and whether it is required,
/// then in both languages its meaning and the phrase printed before its value.
macro_rules! keys {
    (@must required) => { true };
    (@must optional) => { false };
    (@phrase) => { None };
    (@phrase $fr:literal $en:literal) => { Some(Text::new($fr, $en)) };
    ($($with:ident;)? $($name:literal $form:ident $must:ident
        fr $fr:literal $($phrase_fr:literal)? en $en:literal $($phrase_en:literal)?;)*) => {
        &[$($with,)? $($crate::law::step::StepKey {
            name: $name,
            form: KeyForm::$form,
            required: keys!(@must $must),
            help: Text::new($fr, $en),
            phrase: keys!(@phrase $($phrase_fr $phrase_en)?),
        }),*]
    };
}
pub(super) use keys;
