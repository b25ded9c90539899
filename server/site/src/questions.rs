//! Questions that people type, “SMIC net” or “2 000 € net en brut”: a page each, answered from the
//! rules in force.

use bareme_api::wire::problem::Problem;
use bareme_engine::service::{Question, Rules};
use jiff::civil::Date;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::PageRequest;
use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::simulator::Answered;
use super::text::{day, printed, prose};

/// Path of the list.
pub(super) const PATH: &str = "/questions";

/// A question with the folder that answers it.
#[derive(Debug, Clone, Copy)]
pub struct ListedQuestion<'r> {
    listed: ListedFolder<'r>,
    question: &'r Question,
}

impl ListedQuestion<'_> {
    pub(super) fn path(&self) -> String {
        format!("{PATH}/{}", self.question.name)
    }

    /// The question as people type it, with the year of the day.
    pub(super) fn title(&self, today: Date) -> String {
        let year = format!("{{{}}}", Question::YEAR);
        let title = self
            .question
            .title
            .replace(&year, &today.year().to_string());
        printed(&title)
    }
}

/// Every question, in the order of the endpoints.
pub(super) fn all(rules: &Rules) -> Vec<ListedQuestion<'_>> {
    let folders = catalogue::all(rules).into_iter();
    folders
        .flat_map(|listed| {
            let is_here = move |question: &&Question| {
                listed.endpoint.by.is_none() || question.word.as_deref() == listed.word
            };
            let questions = listed.endpoint.questions.iter().filter(is_here);
            questions.map(move |question| ListedQuestion { listed, question })
        })
        .collect()
}

/// The question of a path.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<ListedQuestion<'r>> {
    let name = path.strip_prefix(PATH)?.strip_prefix('/')?;
    let mut all = all(rules).into_iter();
    all.find(|listed| listed.question.name == name)
}

/// The questions of a folder but one, as a list of links; nothing where it has none.
pub(super) fn of_folder(
    rules: &Rules,
    listed: &ListedFolder,
    but: Option<&str>,
    today: Date,
) -> Markup {
    let path = listed.folder.path();
    let own: Vec<_> = all(rules)
        .into_iter()
        .filter(|other| other.listed.folder.path() == path && Some(&*other.question.name) != but)
        .collect();

    html! {
        @if !own.is_empty() {
            section.screen {
                h2 { "Questions fréquentes" }
                (links(&own, today))
            }
        }
    }
}

/// Links to questions.
pub(super) fn links(questions: &[ListedQuestion], today: Date) -> Markup {
    html! {
        ul.places.asked {
            @for question in questions {
                li { a href=(question.path()) { (question.title(today)) } }
            }
        }
    }
}

/// The list of the questions.
pub(super) fn index(request: &PageRequest) -> String {
    let PageRequest { rules, today, .. } = *request;
    let all = all(rules);
    let of_endpoint = |name: &str| -> Vec<ListedQuestion> {
        let own = all.iter().filter(|own| own.listed.endpoint.name == name);
        own.copied().collect()
    };

    let content = html! {
        h1 { "Questions fréquentes" }
        p.lead {
            "Chaque réponse est calculée avec les barèmes en vigueur ce jour, et donne ses textes."
        }
        @for endpoint in &rules.service().endpoints {
            @let own = of_endpoint(&endpoint.name);
            @if !own.is_empty() { h2 { (prose(&endpoint.title)) } (links(&own, today)) }
        }
    };

    let page = Page {
        title: "Questions fréquentes",
        description: "Salaire net, brut, coût, impôt, frais et mensualités\u{a0}: les réponses \
                      aux questions les plus posées, calculées avec les barèmes du jour.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The page of a question.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn page(request: &PageRequest, asked: &ListedQuestion) -> Result<String, Problem> {
    let PageRequest { rules, today, .. } = *request;
    let ListedQuestion { listed, question } = asked;
    let answered = Answered::new(rules, listed, question, today)?;
    let title = asked.title(today);
    let path = asked.path();

    let content = html! {
        p.trail { a href=(PATH) { "Questions fréquentes" } " › " (prose(&listed.endpoint.title)) }
        h1 { (title) }
        @if let Some(answered) = &answered {
            p.sentence { (prose(&answered.text)) }
            section.answer.question aria-label="Résultat" { (answered.headline) }
            p.actions.screen {
                a.button href=(answered.link) { "Voir le détail et changer ma situation" }
            }
            h2 { "Comment ce montant est calculé" }
            (answered.made)
            h2 { "D’où viennent les chiffres" }
            p { "Calcul du " (day(today)) "." }
            (answered.sources)
        } @else {
            p { "Les barèmes du jour ne répondent pas à cette question." }
            p.actions { a.button href=(listed.simulator()) { "Ouvrir le simulateur" } }
        }
        (of_folder(rules, listed, Some(&question.name), today))
    };

    // The answer is in the title, for those who read it in a list of results.
    let full = match &answered {
        Some(answered) => format!("{title} : {}", answered.value),
        None => title.clone(),
    };
    let text = answered.as_ref().map(|answered| printed(&answered.text));
    let page = Page {
        title: &full,
        description: text.as_deref().unwrap_or_default(),
        path: Some(&path),
        data: text.as_deref().map(|text| data(&title, text)),
        content,
        ..Page::default()
    };
    Ok(page.render(rules.service()))
}

/// The question and its answer as JSON-LD for search engines.
fn data(title: &str, text: &str) -> Value {
    json!({
        "@context": "https://schema.org",
        "@type": "FAQPage",
        "inLanguage": "fr",
        "mainEntity": [{
            "@type": "Question",
            "name": title,
            "acceptedAnswer": {"@type": "Answer", "text": text},
        }],
    })
}
