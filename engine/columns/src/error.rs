//! Errors of tables.

use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use bareme_engine::run::plan::PlanError;
use parquet::errors::ParquetError;

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
            Self::Plan(PlanError::Length { .. }) => "longueur",
            Self::Float { .. } => "colonne_flottante",
            Self::Type { .. } => "type_de_colonne",
            Self::Number { .. } => "nombre_illisible",
            Self::Kept { .. } => "colonne_gardee",
            Self::Arrow(_) | Self::Parquet(_) | Self::Malformed(_) => "table_illisible",
            Self::File(_) => "fichier",
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
