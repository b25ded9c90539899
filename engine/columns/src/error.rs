//! Errors of tables.

use std::fmt;

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
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The plan cannot be made, or the columns do not fit it.
    Plan(PlanError),
    /// A column of binary floats, and no rounding was named.
    Float {
        /// The column.
        column: String,
    },
    /// A column of a type that holds no parameter.
    Type {
        /// The column.
        column: String,
        /// Its type.
        found: DataType,
    },
    /// A text that is no number, in a column of numbers.
    Number {
        /// The column.
        column: String,
        /// The row in its table, from 1.
        row: usize,
        /// The text.
        text: String,
    },
    /// A column to keep that is not there, or whose name an answer has.
    Kept {
        /// The column.
        column: String,
        /// Whether the answer has a column of that name.
        is_taken: bool,
    },
    /// A column that another name is given for is not there.
    Mapped {
        /// The column.
        column: String,
    },
    /// Error of the Arrow library for a table or a file.
    Arrow(ArrowError),
    /// Error of the Parquet library for a file.
    Parquet(ParquetError),
    /// Input or output error of a file.
    File(std::io::Error),
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
            Self::Arrow(_) | Self::Parquet(_) => "table_illisible",
            Self::File(_) => "fichier",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(formatter),
            Self::Float { column } => write!(
                formatter,
                "la colonne `{column}` est en virgule flottante, qui n’a pas de centimes exacts : la convertir en décimaux, ou nommer un arrondi"
            ),
            Self::Type { column, found } => write!(
                formatter,
                "la colonne `{column}` est de type {found} : attendu un entier, un décimal, un texte, un booléen ou une date"
            ),
            Self::Number { column, row, text } => {
                write!(formatter, "la colonne `{column}` a un texte qui n’est pas un nombre, ligne {row} : « {text} »")
            }
            Self::Kept { column, is_taken: true } => {
                write!(
                    formatter,
                    "la colonne à garder `{column}` porte le nom d’une colonne de la réponse : la renommer"
                )
            }
            Self::Kept { column, is_taken: false } => write!(formatter, "la colonne à garder `{column}` n’existe pas"),
            Self::Mapped { column } => write!(formatter, "la colonne `{column}` n’existe pas"),
            Self::Arrow(error) => write!(formatter, "table illisible : {error}"),
            Self::Parquet(error) => write!(formatter, "fichier Parquet illisible : {error}"),
            Self::File(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for Error {}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
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

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}
