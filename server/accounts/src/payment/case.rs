//! Cases that need a person: refunds, disputes, and payments that did not lead to a key.

use jiff::{SignedDuration, Timestamp};

/// Declares the kinds of cases, each with its name and the advice to the person who deals with it.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $advice:literal;)*) => {
        /// Kind of a case: the reason why a person has to look.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CaseKind { $($(#[$doc])* $kind),* }

        impl CaseKind {
            /// Every kind.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// Its name, in the store, in metrics and in lists.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }

            /// Advice to the person who deals with it.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$kind => $advice),* }
            }
        }
    };
}

kinds! {
    /// Money was given back.
    Refund "refund" "a whole payment that is known ends its key by itself; otherwise decide, and: \
                     keys revoke";
    /// The payer contests a payment.
    Dispute "dispute" "answer the provider; a lost one ends the key whose payment is known, \
                       otherwise: keys revoke";
    /// A price of no plan was paid.
    UnknownPrice "unknown_price" "name the price in `payment_price` of a plan of service.yaml";
    /// Something was paid that names no plan.
    NoPlan "no_plan" "name a plan in the metadata of the payment link, or its price in \
                      service.yaml";
    /// A key was paid, and nobody knows whose it is.
    NoEmail "no_email" "look the customer up at the provider, then: keys issue";
    /// A subscription is active, and no payment of it was seen.
    NoPayment "no_payment" "look at the last invoice at the provider; if it is paid, send its \
                            event again";
    /// A subscription was paid after its end.
    PaidAfterEnd "paid_after_end" "refund it, or: keys renew";
    /// A plan of the other variant was bought for a key.
    OtherVariant "other_variant" "change the plan at the provider, or issue a key of that \
                                  variant: keys issue";
    /// A key could not be delivered.
    Undelivered "undelivered" "correct the address (keys change --email), then: keys resend";
}

impl CaseKind {
    /// The kind of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How long its cause may last before a person is asked: the events of a purchase come in any
    /// order, and the invoice of a renewal is made an hour after the period began.
    pub(crate) fn patience(self) -> SignedDuration {
        match self {
            Self::NoPlan | Self::NoEmail => SignedDuration::from_mins(10),
            Self::NoPayment => SignedDuration::from_hours(24),
            _ => SignedDuration::ZERO,
        }
    }

    /// Whether it is settled automatically once its cause is over.
    pub(crate) fn is_of_subscription(self) -> bool {
        // Refunds and disputes concern a charge and not a subscription: only a person or the end of
        // the key settles them.
        !matches!(self, Self::Refund | Self::Dispute | Self::Undelivered)
    }
}

/// A case that needs a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Kind and subject: `refund:ch_1:500`. A case is opened once, however often it is seen.
    pub id: String,
    /// Its kind.
    pub kind: CaseKind,
    /// Description, with amounts and identifiers.
    pub detail: String,
    /// When it was opened.
    pub opened: Timestamp,
    /// The payment that it takes back as a whole, as JSON: a
    /// [`Reversal`](super::reversal::Reversal).
    pub reversal: Option<String>,
}

impl Case {
    /// A new case about a subject.
    pub fn new(kind: CaseKind, about: &str, detail: String, opened: Timestamp) -> Self {
        Self {
            id: format!("{}:{about}", kind.name()),
            kind,
            detail,
            opened,
            reversal: None,
        }
    }

    /// The subscription that it is about, if it is settled automatically.
    pub(crate) fn subscription(&self) -> Option<&str> {
        let (_, about) = self
            .id
            .split_once(':')
            .filter(|_| self.kind.is_of_subscription())?;
        Some(about)
    }
}
