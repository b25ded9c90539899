//! Why a plan cannot be made, or not be applied to some columns.

use crate::say;
use crate::text::lang::Text;

/// Why a plan cannot be made, or not be applied to some columns.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["ir"])
/// #     .load(root).rules.ok_or("errors")?;
/// use bareme_engine::run::plan::{Plan, PlanError};
///
/// let day = jiff::civil::date(2026, 3, 31);
/// let unknown = Plan::new(&rules, "ir", day, Some(&["impot_nett"])).map(|_| ());
/// let Err(PlanError::UnknownField { near, .. }) = unknown else { return Err("a field".into()) };
/// assert_eq!(near.as_deref(), Some("impot_net"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanError {
    /// No folder of that path.
    UnknownFolder {
        /// The path.
        name: String,
        /// A known path like it.
        near: Option<String>,
    },
    /// No field of that name.
    UnknownField {
        /// The name.
        name: String,
        /// A known name like it.
        near: Option<String>,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A column that is no parameter.
    UnknownColumn {
        /// The name.
        name: String,
        /// A known name like it.
        near: Option<String>,
        /// The names that exist.
        known: Vec<String>,
    },
    /// Two columns of one name.
    RepeatedColumn {
        /// The name.
        name: String,
    },
    /// A required input without column.
    MissingColumn {
        /// The name of the input.
        name: String,
    },
    /// A folder that computes no year of pays.
    NoYear {
        /// Its path.
        name: String,
    },
    /// A column of another length than the rows.
    Length {
        /// The name of the column.
        name: String,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
}

impl PlanError {
    /// The sentence that tells it.
    pub fn sentence(&self) -> Text<String> {
        match self {
            Self::UnknownFolder { name, near } => {
                say!("Aucun barème `{name}`", "No scale `{name}`")
                    .then(Text::suggestion(near.as_deref()))
            }
            Self::UnknownField { name, near, .. } => say!(
                "`{name}` n’est pas un champ de la réponse",
                "`{name}` is not a field of the answer"
            )
            .then(Text::suggestion(near.as_deref())),
            Self::UnknownColumn { name, near, .. } => say!(
                "La colonne `{name}` n’est pas un paramètre",
                "The column `{name}` is no parameter"
            )
            .then(Text::suggestion(near.as_deref())),
            Self::RepeatedColumn { name } => {
                say!("Deux colonnes sont `{name}`.", "Two columns are `{name}`.")
            }
            Self::MissingColumn { name } => say!(
                "La colonne `{name}` manque : ce paramètre est obligatoire.",
                "The column `{name}` is missing: this parameter is required."
            ),
            Self::NoYear { name } => say!(
                "`{name}` ne calcule pas d’année de paies : sa méthode n’a pas de bloc `year:`.",
                "`{name}` computes no year of pays: its method has no block `year:`."
            ),
            Self::Length {
                name,
                found,
                expected,
            } => say!(
                "La colonne `{name}` a {found} lignes au lieu de {expected}.",
                "The column `{name}` has {found} rows instead of {expected}."
            ),
        }
    }
}

/// In French, with the names that exist.
impl std::fmt::Display for PlanError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(&self.sentence().fr)?;
        match self {
            Self::UnknownField { known, .. } | Self::UnknownColumn { known, .. } => {
                write!(formatter, " Connus : {}.", known.join(", "))
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for PlanError {}
