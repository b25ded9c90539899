//! How far an answer explains its calculation, and what an explanation says of the calculations
//! that steps ask of other folders.

use std::fmt;

use jiff::civil::Date;

use crate::law::members::{CALL, visit_members};
use crate::text::json::{Datum, Key, List, Object};
use crate::text::words::{boolean, normalize};

/// How far an answer explains its calculation.
///
/// ```
/// use bareme_engine::law::DetailLevel;
///
/// assert_eq!(DetailLevel::parse("oui"), Some(DetailLevel::Steps));
/// assert_eq!(DetailLevel::parse("complet"), Some(DetailLevel::CalledSteps));
/// assert_eq!(DetailLevel::parse("beaucoup"), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DetailLevel {
    /// The answer has no steps.
    #[default]
    None,
    /// The steps of the calculation.
    Steps,
    /// And, within each step that calculates another folder, the steps of that calculation.
    CalledSteps,
}

impl DetailLevel {
    /// The word that asks for the steps of the called calculations too.
    pub const CALLED: &str = "complet";

    /// Parses the value of the parameter `detail`.
    pub fn parse(text: &str) -> Option<Self> {
        if normalize(text) == Self::CALLED {
            return Some(Self::CalledSteps);
        }

        boolean(text).map(|asked| if asked { Self::Steps } else { Self::None })
    }
}

/// The addresses at which a service publishes the calculations of folders.
pub trait Addresses: fmt::Debug {
    /// The address of a calculation, without the prefix of the service: `ir?revenu=30000`. `None`
    /// for a folder that is not published.
    fn address(&self, folder: &str, parameters: &[(String, String)]) -> Option<String>;
}

/// The level of an explanation, and the addresses that it gives.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Explanation<'e> {
    /// How far it goes.
    pub level: DetailLevel,
    /// The addresses of the calculations that steps ask of other folders.
    pub addresses: Option<&'e dyn Addresses>,
}

/// A calculation that a step asks of another folder.
///
/// [`StepTrace::call`](crate::run::StepTrace::call) holds it.
#[derive(Debug)]
#[non_exhaustive]
pub struct CallTrace<'f> {
    /// The path of the folder.
    pub folder: &'f str,
    /// The day of its scale; `None` for a method without dates.
    pub day: Option<Date>,
    /// The parameters given to it, as a query to that folder sends them, without the day.
    pub parameters: Vec<(String, String)>,
    /// The address of the same calculation, where the folder is published.
    pub address: Option<String>,
    /// Its steps, for [`DetailLevel::CalledSteps`]; `None` also where one of them cannot be
    /// computed.
    pub steps: Option<CalledSteps<'f>>,
}

/// The explained steps of a called calculation, as an answer lists them.
pub struct CalledSteps<'f>(pub(crate) Box<dyn List + Send + 'f>);

impl fmt::Debug for CalledSteps<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{} steps", self.0.count())
    }
}

impl Object for CallTrace<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let values = [
            Some(Datum::Text(self.folder)),
            self.day.as_ref().map(|day| Datum::Shown(day)),
            self.address.as_deref().map(Datum::Text),
            self.steps.as_ref().map(|steps| Datum::List(&*steps.0)),
        ];
        visit_members(&CALL, values, visit);
    }
}
