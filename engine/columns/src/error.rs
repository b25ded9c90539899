//! Errors of tables.

use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use bareme_engine::Lang;
use bareme_engine::run::plan::PlanError;
use parquet::errors::ParquetError;

use crate::chain::ChainMistake;

/// Why a plan cannot be made, a table cannot be computed, or a file cannot be read or written.
///
/// ```
/// let error = bareme_arrow::Error::Float { column: "revenu".to_owned() };
/// assert!(error.to_string().contains("virgule flottante"));
/// assert_eq!(error.code(), "colonne_flottante");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plan cannot be made, or the columns do not fit it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A column of binary floats, and no rounding was named.
    #[error(
        "la colonne `{column}` est en virgule flottante, qui n’a pas de centimes exacts : la \
         convertir en décimaux, ou nommer un arrondi"
    )]
    Float {
        /// The column.
        column: String,
    },
    /// A column of a type that holds no parameter.
    #[error(
        "la colonne `{column}` est de type {found} : attendu un entier, un décimal, un texte, un \
         booléen ou une date"
    )]
    Type {
        /// The column.
        column: String,
        /// Its type.
        found: DataType,
    },
    /// A column whose elements are to be rows, and are no structs.
    #[error("la colonne `{column}` est de type {found} : attendu une liste de structures")]
    Structs {
        /// The column.
        column: String,
        /// Its type.
        found: DataType,
    },
    /// Fields that cannot be given as parameters, each with the reason.
    #[error("{}", sentences(.0, Lang::Fr))]
    Chain(Vec<ChainMistake>),
    /// A moment at another hour than midnight, in a column of days.
    #[error(
        "une date porte une heure, à la ligne {row} de son bloc : la donner sans heure, ou à minuit"
    )]
    Moment {
        /// The row in its batch, from 1.
        row: usize,
    },
    /// Batches of rows that are months, of which those of a year may be in different ones.
    #[error(
        "une année de paies se calcule d’un seul tenant : grouper les lignes par `cle` et `annee` \
         (avec Spark, `groupBy(\"cle\", \"annee\").applyInArrow`)"
    )]
    Batches,
    /// A text with the separator of a list, in a list.
    #[error(
        "la colonne `{column}` a, ligne {row} de son bloc, un point-virgule dans une valeur de sa \
         liste : une valeur par élément"
    )]
    Separator {
        /// The column.
        column: String,
        /// The row in its batch, from 1.
        row: usize,
    },
    /// A text that is no number, in a column of numbers.
    #[error("la colonne `{column}` a un texte qui n’est pas un nombre, ligne {row} : « {text} »")]
    Number {
        /// The column.
        column: String,
        /// The row in its table, from 1.
        row: usize,
        /// The text.
        text: String,
    },
    /// A column to keep that is not there, or whose name an answer has.
    #[error(
        "la colonne à garder `{column}` {}",
        if *is_taken {
            "porte le nom d’une colonne de la réponse : la renommer"
        } else {
            "n’existe pas"
        }
    )]
    Kept {
        /// The column.
        column: String,
        /// Whether the answer has a column of that name.
        is_taken: bool,
    },
    /// A column that another name is given for is not there.
    #[error("la colonne `{column}` n’existe pas")]
    Mapped {
        /// The column.
        column: String,
    },
    /// Error of the Arrow library for a table or a file.
    #[error("table illisible : {0}")]
    Arrow(ArrowError),
    /// Error of the Parquet library for a file.
    #[error("fichier Parquet illisible : {0}")]
    Parquet(#[from] ParquetError),
    /// A malformed file on which the Arrow or the Parquet library panics.
    #[error("table illisible : {0}")]
    Malformed(String),
    /// Input or output error of a file.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

impl Error {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Plan(PlanError::UnknownFolder { .. }) => "bareme_inconnu",
            Self::Plan(PlanError::UnknownField { .. }) => "champ_inconnu",
            Self::Plan(PlanError::UnknownColumn { .. }) => "colonne_inconnue",
            Self::Plan(PlanError::RepeatedColumn { .. }) => "colonne_repetee",
            Self::Plan(PlanError::MissingColumn { .. }) | Self::Mapped { .. } => "colonne_absente",
            Self::Plan(PlanError::NoYear { .. }) => "sans_annee",
            Self::Batches => "annee_par_lots",
            Self::Plan(PlanError::Length { .. }) => "longueur",
            Self::Float { .. } => "colonne_flottante",
            Self::Type { .. } | Self::Moment { .. } | Self::Structs { .. } => "type_de_colonne",
            Self::Chain(mistakes) => mistakes.first().map_or("chaine", |first| first.code),
            Self::Separator { .. } => "valeur_de_liste",
            Self::Number { .. } => "nombre_illisible",
            Self::Kept { .. } => "colonne_gardee",
            Self::Arrow(_) | Self::Parquet(_) | Self::Malformed(_) => "table_illisible",
            Self::File(_) => "fichier",
        }
    }
}

impl Error {
    /// The error in a language.
    pub fn message(&self, lang: Lang) -> String {
        if lang == Lang::Fr {
            return self.to_string();
        }

        match self {
            Self::Plan(error) => error.sentence().en,
            Self::Float { column } => format!(
                "the column `{column}` has binary floats, which hold no exact cents: convert it to \
                 decimals, or name a rounding"
            ),
            Self::Type { column, found } => format!(
                "the column `{column}` is of type {found}: expected an integer, a decimal, a text, \
                 a boolean or a date"
            ),
            Self::Structs { column, found } => {
                format!("the column `{column}` is of type {found}: expected a list of structs")
            }
            Self::Chain(mistakes) => sentences(mistakes, lang),
            Self::Moment { row } => format!(
                "a date has an hour, in row {row} of its batch: give it without one, or at midnight"
            ),
            Self::Batches => {
                "a year of pays is computed from all of its rows: group them by `cle` \
                              and `annee` (in Spark, `groupBy(\"cle\", \"annee\").applyInArrow`)"
                    .to_owned()
            }
            Self::Separator { column, row } => format!(
                "the column `{column}` has, in row {row} of its batch, a semicolon in a value of \
                 its list: one value for each element"
            ),
            Self::Number { column, row, text } => format!(
                "the column `{column}` has a text that is no number, in row {row}: \"{text}\""
            ),
            Self::Kept {
                column,
                is_taken: true,
            } => format!(
                "the column to keep `{column}` has the name of a column of the answer: rename it"
            ),
            Self::Kept { column, .. } | Self::Mapped { column } => {
                format!("there is no column `{column}`")
            }
            Self::Arrow(error) => format!("unreadable table: {error}"),
            Self::Parquet(error) => format!("unreadable Parquet file: {error}"),
            Self::Malformed(reason) => format!("unreadable table: {reason}"),
            Self::File(error) => error.to_string(),
        }
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::File(error),
            error => Self::Arrow(error),
        }
    }
}

/// The sentences of all mistakes of a chain.
fn sentences(mistakes: &[ChainMistake], lang: Lang) -> String {
    let separator = match lang {
        Lang::Fr => " ; ",
        Lang::En => "; ",
    };
    let sentences = mistakes.iter().map(|mistake| mistake.text.in_lang(lang));
    sentences.collect::<Vec<_>>().join(separator)
}
