//! The reader of `service.yaml`.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use crate::text::{Node, PlacedText, Problem, Report, normalize};

use super::found_by::check_endpoints;
use super::not_calculated::check_near;
use super::schema::TOPICS;
use super::{
    Endpoint, ExchangeRates, FoundBy, LeadsTo, NotCalculated, Plan, Question, Retirement, Service,
    Topic, Variant, leads_to,
};

impl Service {
    /// Reads the file; `folders` are the paths of the rule folders.
    pub(crate) fn read(node: &Node, folders: &[&str], report: &mut Report) -> Self {
        let mut service = Self {
            title: node.string_of("title").unwrap_or_default(),
            documentation: node
                .string_of("documentation")
                .unwrap_or_default()
                // Paths, which begin with one, are put behind it.
                .trim_end_matches('/')
                .to_owned(),
            attribution: node.string_of("attribution").unwrap_or_default(),
            contact: node.string_of("contact"),
            embedded_by: strings(node, "embedded_by"),
            parities: read_folder(node, "parities", folders, report),
            exchange_rates: node.get("exchange_rates").and_then(read_exchange_rates),
            not_calculated: NotCalculated::read_all(node),
            ..Self::default()
        };

        // Endpoints come before the topics and the variants, which name what they have.
        for (name, node) in node.entries_of("endpoints") {
            service
                .endpoints
                .push(read_endpoint(name, node, folders, report));
        }

        service.topics = Topic::read_all(node, &service, report);

        for (name, node) in node.entries_of("variants") {
            let variant = read_variant(name, node, &service, report);
            service.variants.push(variant);
        }

        // Last, since they compare what was read with each other.
        check_elsewhere(node, &service, report);
        check_endpoints(&service, report);
        leads_to::check_endpoints(&service, report);
        check_near(&service, report);
        check_published(node, &service, report);
        check_twice(node, report);
        service
    }
}

fn read_endpoint(
    name: &PlacedText,
    node: &Node,
    folders: &[&str],
    report: &mut Report,
) -> Endpoint {
    let (folder, family) = (node.text_of("folder"), node.text_of("family"));

    let by = node.string_of("by");
    if folder.is_some() == family.is_some() || family.is_some() != by.is_some() {
        report.error(
            &name.place,
            Problem::ServiceTarget {
                name: name.value.clone(),
            },
        );
    }

    // A family is a folder of folders: every part of a path but the last.
    let families: BTreeSet<&str> = folders
        .iter()
        .flat_map(|path| {
            path.match_indices('/')
                .filter_map(|(end, _)| path.get(..end))
        })
        .collect();

    let targets: Vec<&str> = if by.is_some() {
        families.into_iter().collect()
    } else {
        folders.to_vec()
    };

    let target = folder.or(family);
    if let Some(text) = target.filter(|text| !targets.contains(&text.value.as_str())) {
        report.error(&text.place, Problem::unknown_folder(&text.value, targets));
    }

    Endpoint {
        name: name.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        folder: target.map(|text| text.value.clone()).unwrap_or_default(),
        by,
        ignored: strings(node, "ignored"),
        elsewhere: read_elsewhere(node)
            .map(|(word, name)| (normalize(&word.value), name.value.clone()))
            .collect(),
        retirement: Retirement::read(node, report),
        topics: strings(node, TOPICS),
        search: strings(node, "search"),
        search_of: read_search_of(node, target, folders, report),
        country: node.string_of("country"),
        found_by: FoundBy::read_all(node),
        leads_to: LeadsTo::read_all(node),
        questions: Question::read_all(node),
    }
}

impl Service {
    /// The names of the endpoints that answer from one folder: those of a family ask for its word.
    pub(super) fn of_one_folder(&self) -> Vec<&str> {
        let endpoints = self.endpoints.iter();
        let endpoints = endpoints.filter(|endpoint| endpoint.by.is_none());
        endpoints.map(|endpoint| endpoint.name.as_str()).collect()
    }
}

/// The search terms of folders of a family, each with the word of its folder.
fn read_search_of(
    node: &Node,
    family: Option<&PlacedText>,
    folders: &[&str],
    report: &mut Report,
) -> Vec<(String, Vec<String>)> {
    let family = family.map(|text| text.value.as_str()).unwrap_or_default();
    let own = folders.iter().filter_map(|path| path.rsplit_once('/'));
    let words: Vec<&str> = own
        .filter(|(folder, _)| *folder == family)
        .map(|(_, word)| word)
        .collect();

    let mut read = Vec::new();
    for (word, terms) in node.entries_of("search_of") {
        if !words.contains(&word.value.as_str()) {
            let known = words.iter().copied();
            report.error(&word.place, Problem::unknown_folder(&word.value, known));
        }
        let terms = terms.text().map(PlacedText::list).unwrap_or_default();
        let terms = terms.into_iter().map(|term| term.value).collect();
        read.push((word.value.clone(), terms));
    }
    read
}

/// The rule folder that a key names.
fn read_folder(node: &Node, key: &str, folders: &[&str], report: &mut Report) -> Option<String> {
    let text = node.text_of(key)?;
    if !folders.contains(&text.value.as_str()) {
        report.error(
            &text.place,
            Problem::unknown_folder(&text.value, folders.iter().copied()),
        );
    }

    Some(text.value.clone())
}

/// The rates; the schema has validated their form.
fn read_exchange_rates(node: &Node) -> Option<ExchangeRates> {
    // A rate of zero would be divided by.
    let rate = |(code, rate): &(PlacedText, Node)| {
        let rate: Decimal = rate.text()?.value.parse().ok()?;
        (rate > Decimal::ZERO).then(|| (code.value.clone(), rate))
    };

    Some(ExchangeRates {
        date: node.string_of("date")?.parse().ok()?,
        publisher: node.string_of("publisher")?,
        currency: node.string_of("currency")?,
        rates: node.entries_of("rates").iter().filter_map(rate).collect(),
    })
}

/// The words covered by another endpoint, each with the name of that endpoint.
fn read_elsewhere(endpoint: &Node) -> impl Iterator<Item = (&PlacedText, &PlacedText)> {
    let written = endpoint.entries_of("elsewhere");
    written
        .iter()
        .filter_map(|(word, name)| Some((word, name.text()?)))
}

/// Checks that the endpoint of each `elsewhere` exists, in every variant that has this one.
fn check_elsewhere(node: &Node, service: &Service, report: &mut Report) {
    for (name, node) in node.entries_of("endpoints") {
        // Only a variant that has this endpoint sends its callers to the other one.
        let mut with_it = service
            .variants
            .iter()
            .filter(|variant| variant.endpoints.contains(&name.value));

        for (_, target) in read_elsewhere(node) {
            if target.value == name.value {
                let name = name.value.clone();
                report.error(&target.place, Problem::ElsewhereToItself { name });
                continue;
            }
            let known = service
                .endpoints
                .iter()
                .map(|endpoint| endpoint.name.as_str());
            if !known.clone().any(|known| known == target.value) {
                report.error(
                    &target.place,
                    Problem::unknown_endpoint(&target.value, known),
                );
            } else if let Some(variant) =
                with_it.find(|variant| !variant.endpoints.contains(&target.value))
            {
                let (name, variant) = (target.value.clone(), variant.name.clone());
                report.error(&target.place, Problem::ElsewhereNotServed { name, variant });
            }
        }
    }
}

pub(super) fn strings(node: &Node, key: &str) -> Vec<String> {
    node.text_of(key)
        .map(|text| text.list().into_iter().map(|item| item.value).collect())
        .unwrap_or_default()
}

fn is_true(node: &Node, key: &str) -> bool {
    node.string_of(key).as_deref() == Some("true")
}

fn read_variant(name: &PlacedText, node: &Node, service: &Service, report: &mut Report) -> Variant {
    // Paths and keys of two variants must not be taken for each other.
    let prefix = node
        .string_of("prefix")
        .unwrap_or_default()
        .trim_end_matches('/')
        .to_owned();

    if service
        .variants
        .iter()
        .any(|variant| variant.prefix == prefix)
    {
        report.error(
            &name.place,
            Problem::ServicePrefix {
                prefix: prefix.clone(),
            },
        );
    }

    // The prefix of a key tells to which variant it belongs.
    let key_prefix = node.string_of("key_prefix").unwrap_or_default();
    if !key_prefix.is_empty()
        && service
            .variants
            .iter()
            .any(|variant| variant.key_prefix == key_prefix)
    {
        report.error(
            &name.place,
            Problem::ServiceKeyPrefix {
                prefix: key_prefix.clone(),
            },
        );
    }

    for endpoint in node.list_of("endpoints") {
        let known = service
            .endpoints
            .iter()
            .map(|endpoint| endpoint.name.as_str());
        if !known.clone().any(|known| known == endpoint.value) {
            let unknown = Problem::unknown_endpoint(&endpoint.value, known);
            report.error(
                &endpoint.place,
                Problem::comma_in_list(&endpoint.value).unwrap_or(unknown),
            );
        }
    }

    let plans = node.entries_of("plans");
    check_order(plans, report);
    Variant {
        name: name.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        prefix,
        endpoints: strings(node, "endpoints"),
        key_prefix,
        cors: is_true(node, "cors"),
        retirement: Retirement::read(node, report),
        plans: plans.iter().map(|plan| read_plan(plan, report)).collect(),
    }
}

/// Reports a ceiling of an address below what one key may call: no key would reach its quota.
fn check_calls(day: Option<u64>, address: Option<u64>, node: &Node, report: &mut Report) {
    const KEY: &str = "calls_per_address";
    if let (Some(day), Some(address), Some(text)) = (day, address, node.text_of(KEY))
        && address < day
    {
        report.error(&text.place, Problem::AddressBelowKey { day, address });
    }
}

/// Warns of endpoints that no variant publishes.
fn check_published(node: &Node, service: &Service, report: &mut Report) {
    for (name, _) in node.entries_of("endpoints") {
        let mut published = service
            .variants
            .iter()
            .flat_map(|variant| &variant.endpoints);
        if !published.any(|endpoint| *endpoint == name.value) {
            let problem = Problem::EndpointOfNoVariant {
                name: name.value.clone(),
            };
            report.warn(&name.place, problem);
        }
    }
}

/// Warns of what is meant once and is written twice: two endpoints of one folder, two spellings of
/// one topic.
fn check_twice(node: &Node, report: &mut Report) {
    let mut folders: BTreeMap<&str, &str> = BTreeMap::new();
    let mut topics: BTreeMap<String, String> = BTreeMap::new();
    for (name, endpoint) in node.entries_of("endpoints") {
        if let Some(folder) = endpoint.text_of("folder") {
            match folders.entry(&folder.value) {
                Entry::Vacant(free) => {
                    free.insert(&name.value);
                }
                Entry::Occupied(first) => {
                    let problem = Problem::EndpointsOfOneFolder {
                        folder: folder.value.clone(),
                        other: (*first.get()).to_owned(),
                    };
                    report.warn(&folder.place, problem);
                }
            }
        }

        // Readers group by the word as it is written: two spellings would be two groups.
        for topic in endpoint.list_of(TOPICS) {
            let first = topics
                .entry(normalize(&topic.value))
                .or_insert_with(|| topic.value.clone());
            if *first != topic.value {
                let problem = Problem::TopicSpeltTwice {
                    topic: topic.value.clone(),
                    first: first.clone(),
                };
                report.warn(&topic.place, problem);
            }
        }
    }
}

/// Warns of a plan with fewer calls than the one listed before it, which costs less.
fn check_order(plans: &[(PlacedText, Node)], report: &mut Report) {
    const KEY: &str = "calls_per_day";
    let calls = |node: &Node| -> Option<u64> {
        let text = node.text_of(KEY)?;
        text.value.replace(' ', "").parse().ok()
    };
    for two in plans.windows(2) {
        let [(first, before), (_, after)] = two else {
            continue;
        };
        let (Some(more), Some(fewer), Some(text)) =
            (calls(before), calls(after), after.text_of(KEY))
        else {
            continue;
        };
        // An equal number is no slip: plans may differ by what they permit.
        if fewer < more {
            let problem = Problem::PlanWithFewerCalls {
                calls: fewer,
                plan: first.value.clone(),
                more,
            };
            report.warn(&text.place, problem);
        }
    }
}

fn read_plan((name, node): &(PlacedText, Node), report: &mut Report) -> Plan {
    // The schema has validated the form: digits by thousands, or `unlimited`.
    let calls = |name: &str| {
        node.string_of(name)
            .and_then(|calls| calls.replace(' ', "").parse().ok())
    };
    let days = |name: &str| node.string_of(name).and_then(|days| days.parse().ok());
    let (day, address) = (calls("calls_per_day"), calls("calls_per_address"));
    check_calls(day, address, node, report);

    Plan {
        name: name.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        price: node.string_of("price").unwrap_or_default(),
        calls_per_day: calls("calls_per_day"),
        calls_per_address: calls("calls_per_address"),
        batch_rows: node
            .string_of("batch_rows")
            .and_then(|rows| rows.replace(' ', "").parse().ok()),
        attribution: is_true(node, "attribution"),
        valid_days: days("valid_days"),
        unused_days: days("unused_days"),
        terms: strings(node, "terms"),
        buy: node.string_of("buy"),
        payment_price: node.string_of("payment_price"),
    }
}
