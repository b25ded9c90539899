//! The announced withdrawal of an endpoint or of a variant.

use jiff::civil::Date;

use crate::law::source::read_date;
use crate::text::{Node, Problem, Report};

/// Months between deprecation and withdrawal: the time that callers have to migrate.
pub const NOTICE_MONTHS: i32 = 6;

/// Keys of a withdrawal.
pub(super) const DEPRECATED: &str = "deprecated";
pub(super) const SUNSET: &str = "sunset";

/// The announced withdrawal of an endpoint or of a variant.
///
/// ```
/// use bareme_engine::service::Retirement;
/// use jiff::civil::date;
///
/// let retirement = Retirement { deprecated: date(2027, 1, 1), sunset: Some(date(2027, 7, 1)) };
/// let other = Retirement { deprecated: date(2027, 2, 1), sunset: None };
/// assert_eq!(other.sooner(retirement), retirement);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retirement {
    /// The day from which nobody should begin to use it.
    pub deprecated: Date,
    /// The first day on which it may be gone, if that is known.
    pub sunset: Option<Date>,
}

impl Retirement {
    /// The earlier day of each kind of both withdrawals.
    #[must_use]
    pub fn sooner(self, other: Self) -> Self {
        Self {
            // Each day on its own: the earlier notice and the earlier end may come from different
            // withdrawals.
            deprecated: self.deprecated.min(other.deprecated),
            sunset: self.sunset.into_iter().chain(other.sunset).min(),
        }
    }

    /// Reads the withdrawal of an endpoint or of a variant.
    pub(super) fn read(node: &Node, report: &mut Report) -> Option<Self> {
        let mut day = |key| Some((node.text_of(key)?, read_date(node.text_of(key)?, report)));
        let (deprecated, sunset) = (day(DEPRECATED), day(SUNSET));

        let Some((_, deprecated)) = deprecated else {
            // An end without a beginning announces nothing to callers.
            if let Some((text, _)) = sunset {
                report.error(&text.place, Problem::SunsetAlone {});
            }
            return None;
        };

        // An invalid day was reported.
        let deprecated = deprecated?;

        // Callers were promised that time, and rely on the announcement.
        let earliest = deprecated.saturating_add(jiff::Span::new().months(NOTICE_MONTHS));
        let sunset = sunset.and_then(|(text, day)| Some((text, day?)));

        if let Some((text, _)) = sunset.filter(|(_, sunset)| *sunset < earliest) {
            report.error(
                &text.place,
                Problem::SunsetTooEarly {
                    earliest: earliest.to_string(),
                    months: NOTICE_MONTHS,
                },
            );
        }

        Some(Self {
            deprecated,
            sunset: sunset.map(|(_, day)| day),
        })
    }
}
