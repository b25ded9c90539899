//! The options of a measure: field, weights, groups, income, precision.

use bareme_engine::law::Role;
use clap::ValueEnum;

use super::money::TotalsIn;
use crate::user_input::column_mapping;

/// The options of a measure, and those that read the columns of the sample.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Measures {
    #[arg(long, value_name = "FIELD")]
    pub field: Option<String>,
    #[arg(long, value_enum, value_name = "WAY")]
    pub gain: Option<Gain>,
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    #[arg(long, value_name = "COLUMN")]
    pub by: Vec<String>,
    #[arg(long, value_name = "AMOUNT")]
    pub poverty: Option<String>,
    #[arg(long, value_name = "COLUMN")]
    pub unit: Option<String>,
    #[arg(long, value_name = "COLUMN")]
    pub income: Option<String>,
    #[command(flatten)]
    pub precision: Precision,
    #[arg(long, value_enum, value_name = "UNIT", default_value = "ones")]
    pub totals_in: TotalsIn,
    #[arg(
        long,
        value_name = "COLUMN=PARAMETER",
        value_delimiter = ',',
        value_parser = column_mapping
    )]
    pub map: Vec<(String, String)>,
    #[arg(
        long,
        value_name = "COLUMN=PARAMETER",
        value_delimiter = ',',
        value_parser = column_mapping
    )]
    pub map_after: Vec<(String, String)>,
    /// Whether the effect on each row is kept.
    #[arg(skip)]
    pub keeps_rows: bool,
}

/// How standard errors are computed; without any of these there are none.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Precision {
    #[arg(long, value_name = "PREFIX", conflicts_with = "bootstrap")]
    pub replicates: Option<String>,
    #[arg(long, value_name = "NUMBER", requires = "replicates")]
    pub replicate_scale: Option<String>,
    #[arg(long, value_name = "COUNT")]
    pub bootstrap: Option<u32>,
    #[arg(long, value_name = "NUMBER", requires = "bootstrap")]
    pub seed: Option<u64>,
}

/// Direction in which a household gains: more or less of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Gain {
    /// More of it, as of a net.
    More,
    /// Less of it, as of a levy.
    Less,
}

impl Gain {
    /// The role of a field that is read in this direction.
    pub(super) fn role(self, declared: Role) -> Role {
        match self {
            // A role that already gains in this direction is kept, since a benefit is no net.
            _ if declared.gains_by_more() == (self == Self::More) => declared,
            Self::More => Role::Net,
            Self::Less => Role::Levy,
        }
    }
}
