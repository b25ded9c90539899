//! The problems of the API, each with its sentence, its members and its time to retry.

use std::time::{Duration, SystemTime};

use bareme_accounts::allowance::{ADDRESS_POLICY, InsufficientCalls, KEY_POLICY, POLICY};
use bareme_engine::law::parameter::DATE;
use bareme_engine::run::InternalFault;
use bareme_engine::say;
use bareme_engine::service::Held;
use bareme_engine::text::{BadParameter, ParameterCode, Text, excerpt};
use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::json;

use crate::wire::headers::{METHODS, WORK_POLICY};
use crate::wire::mask::mask;
use crate::wire::problem::Problem;
use crate::wire::problem::kinds::{self, Kind};

/// Retry delay of an absent scale: somebody has to correct its files first.
const ABSENT_RETRY: Duration = Duration::from_secs(60);

/// The midnight in examples, at the end of the year 2026.
const SOME_MIDNIGHT: Duration = Duration::from_secs(1_798_761_600);

impl Problem {
    /// An unknown path; `known` are the existing ones, and `near` the one that may be meant.
    pub fn not_found(path: &str, known: &[String], near: Option<&str>) -> Self {
        // The path may be anything, a secret included: it is cut and masked.
        let (excerpt, known) = (excerpt(path), known.join(", "));
        let path = mask(&excerpt);
        let meant = near.map_or_else(Text::default, |near| {
            say!(" Vouliez-vous dire `{near}` ?", " Did you mean `{near}`?")
        });

        let detail = (
            format!(
                "Aucune réponse à l’adresse `{path}`.{} Adresses servies : {known}.",
                meant.fr
            ),
            format!(
                "Nothing is served at `{path}`.{} What is: {known}.",
                meant.en
            ),
        );
        Self::new(&kinds::NOT_FOUND, detail)
    }

    /// A year of pays of a folder whose method computes single pays only.
    pub fn without_year(folder: &str) -> Self {
        let detail = say!(
            "Le calcul `{folder}` ne donne pas d’année de paies : les textes qui y régularisent un \
             mois sur l’autre ne sont pas écrits. Chaque mois se calcule seul.",
            "The calculation `{folder}` has no year of pays: the texts by which a month settles \
             the ones before are not written there. Each month is computed alone."
        );
        Self::new(&kinds::WITHOUT_YEAR, detail)
    }

    /// A method that no path accepts.
    pub fn method(method: &str) -> Self {
        Self::method_other_than(METHODS, method)
    }

    /// A method that the path does not accept.
    pub fn method_other_than(allowed: &'static str, method: &str) -> Self {
        // A method may be any word that a caller made up.
        let excerpt = excerpt(method);
        let method = mask(&excerpt);

        let detail = (
            format!("La méthode `{method}` n’est pas servie ; utiliser {allowed}."),
            format!("The method `{method}` is not served; use {allowed}."),
        );
        Self {
            allowed,
            ..Self::new(&kinds::METHOD, detail)
        }
    }

    /// A path or a query that is too long.
    pub(crate) fn too_long(
        (what, what_in_english): (&str, &str),
        length: usize,
        limit: usize,
    ) -> Self {
        // The length that was received tells by how much to shorten.
        let detail = (
            format!("{what} compte {length} octets ; {limit} au plus sont acceptés."),
            format!("{what_in_english} has {length} bytes; at most {limit} are accepted."),
        );
        Self::new(&kinds::TOO_LONG, detail)
    }

    /// Fewer calls of a policy are left until midnight than requested.
    pub fn exhausted(policy: &str, few: InsufficientCalls) -> Self {
        let InsufficientCalls {
            limit,
            asked,
            remaining,
            midnight,
        } = few;
        // Quotas are counted by day, in UTC.
        let end = Timestamp::try_from(midnight).unwrap_or_default();
        let calls = Text::from(Decimal::from(limit));

        // The free keys of one address share a quota besides their own, or many keys would be a way
        // around it.
        let (most, more) = match policy {
            ADDRESS_POLICY => (
                say!(
                    "{calls} appels par jour pour toutes les clés gratuites d’une même adresse IP",
                    "{calls} calls a day for all free keys of one IP address"; calls
                ),
                (
                    " Une clé payante a son propre quota.",
                    " A paid key has its own quota.",
                ),
            ),
            KEY_POLICY => (
                say!(
                    "{calls} appels par jour pour cette clé publiable",
                    "{calls} calls a day for this publishable key"; calls
                ),
                (
                    " Son titulaire fixe cette limite sur la page de ses clés.",
                    " Its owner sets this limit on the page of his keys.",
                ),
            ),
            _ => (
                say!("{calls} appels par jour", "{calls} calls a day"; calls),
                ("", ""),
            ),
        };

        // A row of a batch is a call: the reply to several of them tells how many are possible.
        let rows = match asked {
            1 => Text::default(),
            _ => say!(
                " ; ce lot en demande {asked}, il en reste {remaining} : rien n’est calculé",
                "; this batch asks for {asked}, {remaining} are left: nothing is computed"
            ),
        };

        let detail = (
            format!(
                "{}{} ; reprise le {} UTC.{}",
                most.fr,
                rows.fr,
                end.strftime("%d/%m/%Y à %H:%M"),
                more.0
            ),
            format!(
                "{}{}; again from {} UTC.{}",
                most.en,
                rows.en,
                end.strftime("%Y-%m-%d %H:%M"),
                more.1
            ),
        );

        // The numbers of the sentence, for programs.
        let members = vec![
            ("violated-policies", json!([policy])),
            ("limite", limit.into()),
            ("restant", remaining.into()),
            ("reinitialisation", end.to_string().into()),
        ];

        Self {
            members,
            until: Some(midnight),
            ..Self::new(&kinds::QUOTA, detail)
        }
    }

    /// A law that a call names, and that nothing is kept of: the versions that there are for the day
    /// of the calculation, and since when sets are kept.
    pub fn unknown_law(day: Date, versions: &[String], since: Option<Timestamp>) -> Self {
        let count = versions.len();
        let detail = (
            format!(
                "Ce droit n’est pas conservé. Versions conservées pour le {} : {count}.",
                day.strftime("%d/%m/%Y")
            ),
            format!("This law is not kept. Versions kept for {day}: {count}."),
        );

        let since = since.map(|since| since.strftime("%Y-%m-%d").to_string());
        let members = vec![
            ("versions", json!(versions)),
            ("conservees_depuis", since.into()),
        ];
        Self {
            members,
            ..Self::new(&kinds::UNKNOWN_LAW, detail)
        }
    }

    /// A work that the budget of the caller does not allow before a moment.
    pub fn overspent(calls: u32, whole: u32, until: SystemTime) -> Self {
        let (cost, most) = (
            Text::from(Decimal::from(calls)),
            Text::from(Decimal::from(whole)),
        );

        let detail = say!(
            "Cette demande compte pour {cost} appels ordinaires, et le budget de calcul, de {most} \
             appels à la fois, n’en a plus autant ; réessayer à la date de `Retry-After`.",
            "This request counts as {cost} ordinary calls, and the budget of work, {most} calls at \
             once, has fewer left; try again at the date in `Retry-After`.";
            cost,
            most
        );

        // The names of the quota, with the budget in place of the day.
        let members = vec![
            ("violated-policies", json!([WORK_POLICY])),
            ("cout", calls.into()),
            ("limite", whole.into()),
        ];

        Self {
            members,
            until: Some(until),
            ..Self::new(&kinds::WORK, detail)
        }
    }

    /// A batch with more rows than allowed.
    pub(crate) fn too_many_rows(rows: usize, most: usize) -> Self {
        let detail = (
            format!(
                "Le lot compte {rows} lignes ; {most} au plus sont acceptées. Rien n’est calculé \
                 ni compté."
            ),
            format!(
                "The batch has {rows} rows; at most {most} are accepted. Nothing is computed nor \
                 counted."
            ),
        );
        Self::new(&kinds::BATCH_LENGTH, detail)
    }

    /// A batch with more rows than a whole day of the plan has calls.
    pub fn beyond_a_day(rows: usize, calls: u64) -> Self {
        let most = Text::from(Decimal::from(calls));

        let detail = say!(
            "Le lot compte {rows} lignes, et l’offre {most} appels par jour : aucun jour ne le \
             contient. Le couper en lots de {most} lignes au plus, ou changer d’offre. Rien n’est \
             calculé ni compté.",
            "The batch has {rows} rows, and the plan {most} calls a day: no day holds it. Cut it \
             into batches of at most {most} rows, or change plan. Nothing is computed nor counted.";
            most
        );

        // Both numbers, so that a program can cut its batch.
        let members = vec![("limite", calls.into()), ("lignes", rows.into())];

        Self {
            members,
            ..Self::new(&kinds::BATCH_DAY, detail)
        }
    }

    /// A scale that is absent because its files have errors.
    pub fn absent(held: &Held, now: SystemTime) -> Self {
        let (folder, error) = (&held.folder, held.errors.first());
        // The first error tells the operator where to look.
        let place = error.map_or_else(String::new, |error| {
            format!("{}:{} [{}]", error.file(), error.line(), error.code())
        });

        let detail = say!(
            "Le barème `{folder}` n’est pas en service : ses fichiers ont une erreur ({place}). \
             Les autres répondent.",
            "The scale `{folder}` is not in service: its files have an error ({place}). The others \
             answer."
        );

        Self {
            until: Some(now + ABSENT_RETRY),
            ..Self::new(&kinds::SCALE_NOT_READY, detail)
        }
    }

    /// An internal error of the engine in a rule folder, which is logged.
    pub fn internal(folder: &str, fault: &InternalFault) -> Self {
        tracing::error!(
            folder,
            place = fault.place(),
            "internal fault of the engine"
        );
        Self::plain(&kinds::INTERNAL)
    }

    /// An example for the documentation.
    pub fn example(kind: &'static Kind) -> Self {
        // A documented example shows the members that only its kind has.
        if kind == &kinds::PARAMETERS {
            return Self::parameters(vec![BadParameter::new(
                DATE,
                ParameterCode::Format,
                ("Ce jour n’existe pas.", "There is no such day."),
                Some("2026-02-30"),
                (
                    "une date à partir du 2023-01-01",
                    "a date from 2023-01-01 on",
                ),
            )]);
        }
        if kind == &kinds::QUOTA {
            let midnight = SystemTime::UNIX_EPOCH + SOME_MIDNIGHT;
            return Self::exhausted(
                POLICY,
                InsufficientCalls {
                    limit: 1_000,
                    asked: 1,
                    remaining: 0,
                    midnight,
                },
            );
        }
        Self::plain(kind)
    }
}
