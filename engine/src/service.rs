//! `service.yaml`: which endpoint answers from which folder, and what the variants offer.

use std::collections::BTreeSet;

use crate::diagnostic::Report;
use crate::problem::Problem;
use crate::yaml::{Node, Text};

/// The service as its owners describe it.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// let service = rules.service();
/// let endpoint = service.endpoints.iter().find(|endpoint| endpoint.folder == "tva").ok_or("not served")?;
/// let variant = service.variants.iter().find(|variant| variant.endpoints.contains(&endpoint.name)).ok_or("no variant")?;
/// assert!(service.endpoint(variant, &endpoint.name).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// Name of the service.
    pub title: String,
    /// Address under which the service documents itself; error types are below it.
    pub documentation: String,
    /// What a caller whose plan asks for it shows to its own users, in French.
    pub attribution: String,
    /// E-mail address to which callers write.
    pub contact: Option<String>,
    /// The endpoints, in order.
    pub endpoints: Vec<Endpoint>,
    /// The variants of the interface, in order.
    pub variants: Vec<Variant>,
}

/// An endpoint: a name and the folder that answers.
///
/// The example of [`Service`] finds one by its folder.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Last part of its path.
    pub name: String,
    /// What it is, in French.
    pub title: String,
    /// The folder that answers; the folder of the family where `by` is set.
    pub folder: String,
    /// The parameter that selects a folder of the family.
    pub by: Option<String>,
    /// Parameters accepted everywhere, without effect (and with a warning) where a method has no such input.
    pub ignored: Vec<String>,
}

/// A variant of the interface.
///
/// The example of [`Service`] finds one by its endpoints.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in the file.
    pub name: String,
    /// What it is, in French.
    pub title: String,
    /// Beginning of its paths, `/api/v1`.
    pub prefix: String,
    /// Names of its endpoints, in order.
    pub endpoints: Vec<String>,
    /// The three letters that its keys begin with.
    pub key_prefix: String,
    /// Whether scripts of other sites may read its answers.
    pub cors: bool,
    /// Its plans, in order; the first is that of callers without a key.
    pub plans: Vec<Plan>,
}

/// A plan of a variant.
///
/// A [`Variant`] lists its own.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name in the file.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// Price, in words.
    pub price: String,
    /// Calls a day; none: unlimited.
    pub calls_per_day: Option<u64>,
    /// Whether the caller must credit the service.
    pub attribution: bool,
    /// Days for which a key is good; none: it does not expire.
    pub valid_days: Option<u32>,
    /// Days without a call after which a key ends; none: it may rest.
    pub unused_days: Option<u32>,
    /// Other terms, in French.
    pub terms: Vec<String>,
    /// Where it is bought: a `https:` or `mailto:` address.
    pub buy: Option<String>,
    /// Identifier of its price at the payment provider.
    pub payment_price: Option<String>,
}

impl Service {
    /// An endpoint of a variant, by the last part of its path.
    pub fn endpoint(&self, variant: &Variant, name: &str) -> Option<&Endpoint> {
        if !variant.endpoints.iter().any(|known| known == name) {
            return None;
        }
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// The endpoints of a variant, in its order.
    pub fn endpoints_of<'s>(&'s self, variant: &'s Variant) -> impl Iterator<Item = &'s Endpoint> {
        variant.endpoints.iter().filter_map(|name| self.endpoint(variant, name))
    }

    /// Reads the file; `folders` are the paths of the rule folders.
    pub(crate) fn read(node: &Node, folders: &[&str], report: &mut Report) -> Self {
        let mut service = Self {
            title: node.string_of("title").unwrap_or_default(),
            documentation: node.string_of("documentation").unwrap_or_default().trim_end_matches('/').to_owned(),
            attribution: node.string_of("attribution").unwrap_or_default(),
            contact: node.string_of("contact"),
            ..Self::default()
        };
        for (name, node) in node.get("endpoints").map(Node::entries).unwrap_or_default() {
            service.endpoints.push(read_endpoint(name, node, folders, report));
        }
        for (name, node) in node.get("variants").map(Node::entries).unwrap_or_default() {
            let variant = read_variant(name, node, &service, report);
            service.variants.push(variant);
        }
        service
    }
}

fn read_endpoint(name: &Text, node: &Node, folders: &[&str], report: &mut Report) -> Endpoint {
    let (folder, family) = (node.text_of("folder"), node.text_of("family"));
    let by = node.string_of("by");
    if folder.is_some() == family.is_some() || family.is_some() != by.is_some() {
        report.error(&name.place, Problem::ServiceTarget { name: name.value.clone() });
    }
    let families: BTreeSet<&str> =
        folders.iter().flat_map(|path| path.match_indices('/').filter_map(|(end, _)| path.get(..end))).collect();
    let targets: Vec<&str> = if by.is_some() { families.into_iter().collect() } else { folders.to_vec() };
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
    }
}

fn strings(node: &Node, key: &str) -> Vec<String> {
    node.text_of(key).map(|text| text.list().into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

fn is_true(node: &Node, key: &str) -> bool {
    node.string_of(key).as_deref() == Some("true")
}

fn read_variant(name: &Text, node: &Node, service: &Service, report: &mut Report) -> Variant {
    let prefix = node.string_of("prefix").unwrap_or_default().trim_end_matches('/').to_owned();
    if service.variants.iter().any(|variant| variant.prefix == prefix) {
        report.error(&name.place, Problem::ServicePrefix { prefix: prefix.clone() });
    }
    let key_prefix = node.string_of("key_prefix").unwrap_or_default();
    if !key_prefix.is_empty() && service.variants.iter().any(|variant| variant.key_prefix == key_prefix) {
        report.error(&name.place, Problem::ServiceKeyPrefix { prefix: key_prefix.clone() });
    }
    for endpoint in node.text_of("endpoints").map(Text::list).unwrap_or_default() {
        let known = service.endpoints.iter().map(|endpoint| endpoint.name.as_str());
        if !known.clone().any(|known| known == endpoint.value) {
            let unknown = Problem::unknown_endpoint(&endpoint.value, known);
            report.error(&endpoint.place, Problem::comma_in_list(&endpoint.value).unwrap_or(unknown));
        }
    }
    Variant {
        name: name.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        prefix,
        endpoints: strings(node, "endpoints"),
        key_prefix,
        cors: is_true(node, "cors"),
        plans: node.get("plans").map(Node::entries).unwrap_or_default().iter().map(read_plan).collect(),
    }
}

fn read_plan((name, node): &(Text, Node)) -> Plan {
    let calls = node.string_of("calls_per_day").unwrap_or_default();
    let days = |name: &str| node.string_of(name).and_then(|days| days.parse().ok());
    Plan {
        name: name.value.clone(),
        title: node.string_of("title").unwrap_or_default(),
        price: node.string_of("price").unwrap_or_default(),
        // The schema has validated the form: digits by thousands, or `unlimited`.
        calls_per_day: calls.replace(' ', "").parse().ok(),
        attribution: is_true(node, "attribution"),
        valid_days: days("valid_days"),
        unused_days: days("unused_days"),
        terms: strings(node, "terms"),
        buy: node.string_of("buy"),
        payment_price: node.string_of("payment_price"),
    }
}
