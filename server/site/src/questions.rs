//! Questions that people type, “SMIC net” or “2 000 € net en brut”: a page each, answered from the
//! rules in force.

use std::collections::BTreeMap;

use bareme_api::wire::problem::Problem;
use bareme_api::work::cost::Work;
use bareme_engine::service::{Question, QuestionPart, Rules};
use bareme_engine::text::Text;
use bareme_engine::{Folder, Lang};
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::PageRequest;
use super::catalogue::{self, ListedFolder};
use super::language::{code, localized};
use super::layout::Page;
use super::simulator::{self, Answered, has_in_a_row, has_words, simulator_of};
use super::text::{day_in, printed, prose, say};

/// Path of the list.
pub(super) const PATH: &str = "/questions";

/// What its pages and the lists of it are called.
pub(super) const TITLE: Text = Text::new("Questions fréquentes", "Frequently asked questions");

/// A question with the folder that answers it.
#[derive(Debug, Clone, Copy)]
pub struct ListedQuestion<'r> {
    rules: &'r Rules,
    pub(super) listed: ListedFolder<'r>,
    pub(super) question: &'r Question,
    /// The word of the choice that makes questions, where one does.
    pub(super) member: Option<Member<'r>>,
}

/// A word of a choice that makes questions, with its label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'r> {
    pub word: &'r str,
    pub label: &'r str,
}

impl<'r> ListedQuestion<'r> {
    /// Address of its page.
    pub(super) fn path(&self) -> String {
        localized(&self.french_path(), self.listed.lang())
    }

    /// Address of its page in French.
    fn french_path(&self) -> String {
        match self.member {
            // Words of choices have underscores, paths have hyphens.
            Some(member) => {
                let word = member.word.replace('_', "-");
                format!("{PATH}/{}-{word}", self.question.name)
            }
            None => format!("{PATH}/{}", self.question.name),
        }
    }

    /// The question as people type it, with the year of the law that answers it.
    pub(super) fn title(&self, today: Date) -> String {
        let part = |part: &QuestionPart| self.part(part, today).unwrap_or_default();
        let title: String = self.question.title.iter().map(part).collect();
        printed(&title)
    }

    /// Cost of its page: that of the simulator with the same question.
    pub(super) fn making(&self) -> &'static Work {
        let asked = query_string::from_pairs(&self.question.given);
        simulator::work(&self.listed, &asked)
    }

    /// A part of its title or of its text; `None` for a field of the answer.
    pub(super) fn part(&self, part: &QuestionPart, today: Date) -> Option<String> {
        match part {
            QuestionPart::Words(words) => Some(words.clone()),
            QuestionPart::Year => Some(self.year(today).to_string()),
            QuestionPart::Each => self.member.map(|member| member.label.to_owned()),
            QuestionPart::Field(_) => None,
        }
    }

    /// The year of the law that answers it: that of the day, or the last one for which every figure
    /// is known.
    fn year(&self, today: Date) -> i16 {
        let known_until = |folder: &Folder| Some(folder.edition(today)?.scale()?.known_until);
        let folders = self.finders().flatten().map(|found| found.folder);
        let folders = folders.chain([self.listed.folder]);
        let last = folders.filter_map(known_until).min();
        last.map_or(today, |last| last.min(today)).year()
    }

    /// The folders that compute the inputs that are found; `None` for one that is not there.
    fn finders(&self) -> impl Iterator<Item = Option<ListedFolder<'r>>> {
        self.question.found.iter().map(|input| {
            let mut found_by = self.listed.endpoint.found_by.iter();
            let found = found_by.find(|found| found.input == *input)?;
            simulator_of(self.rules, found, self.listed.word)
        })
    }

    /// The questions of one of a folder: one, or one for each word of the choice that makes them.
    fn of(rules: &'r Rules, listed: ListedFolder<'r>, question: &'r Question) -> Vec<Self> {
        let with = |member| Self {
            rules,
            listed,
            question,
            member,
        };

        let Some(each) = &question.each else {
            return vec![with(None)];
        };

        // A folder of a family is one word of the choice already.
        if listed.endpoint.by.as_ref() == Some(each) {
            let label = catalogue::name(&listed);
            let member = listed.word.map(|word| Member { word, label });
            return member
                .map(|member| with(Some(member)))
                .into_iter()
                .collect();
        }

        let inputs = listed.folder.inputs().into_iter();
        let choice = inputs.filter(|input| input.name == *each);
        let values = choice.flat_map(|input| &input.values);
        values
            .map(|(word, label)| with(Some(Member { word, label })))
            .collect()
    }
}

/// Every question, in the order of the endpoints.
pub(super) fn all(rules: &Rules) -> Vec<ListedQuestion<'_>> {
    let folders = catalogue::all(rules).into_iter();
    let all = folders.flat_map(|listed| {
        let is_here = move |question: &&Question| {
            let is_of_family = question.each.is_some() && question.word.is_none();
            listed.endpoint.by.is_none() || is_of_family || question.word.as_deref() == listed.word
        };
        let questions = listed.endpoint.questions.iter().filter(is_here);
        questions.flat_map(move |question| ListedQuestion::of(rules, listed, question))
    });
    // What no folder of another endpoint finds for this one cannot be asked here.
    all.filter(|question| question.finders().all(|found| found.is_some()))
        .collect()
}

/// The length of a short list of questions: whole rows of four, three or two.
const SHORT: usize = 12;

/// The questions of a short list: the first one of each endpoint, then the second one of each, and
/// so on, without those that are made for every word of a choice.
pub(super) fn short_list(rules: &Rules) -> Vec<ListedQuestion<'_>> {
    let mut all = all(rules);
    all.retain(|question| question.member.is_none());

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, ListedQuestion)> = Vec::new();
    for question in all {
        let count = counts.entry(&question.listed.endpoint.name).or_default();
        ranked.push((*count, question));
        *count += 1;
    }

    // The sort is stable: those of one rank stay in the order of the endpoints.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(SHORT);
    ranked.into_iter().map(|(_, question)| question).collect()
}

/// The questions whose titles have all the words of a search, those with the words in a row first.
pub(super) fn matching<'r>(rules: &'r Rules, words: &str, today: Date) -> Vec<ListedQuestion<'r>> {
    let mut all = all(rules);
    all.retain(|question| has_words(&question.title(today), words));
    all.sort_by_key(|question| !has_in_a_row(&question.title(today), words));
    all
}

/// The question of a path.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<ListedQuestion<'r>> {
    path.strip_prefix(PATH)?.strip_prefix('/')?;
    let mut all = all(rules).into_iter();
    all.find(|listed| listed.french_path() == path)
}

/// The questions of a folder but one, as a list of links; nothing where it has none.
pub(super) fn of_folder(
    rules: &Rules,
    listed: &ListedFolder,
    but: Option<&str>,
    today: Date,
) -> Markup {
    let folder = listed.folder.path();
    let is_own = |other: &ListedQuestion| other.listed.folder.path() == folder;
    let is_other = |other: &ListedQuestion| Some(&*other.french_path()) != but;
    let mut own = all(rules);
    own.retain(|other| is_own(other) && is_other(other));

    html! {
        @if !own.is_empty() {
            section.screen {
                h2 { (TITLE.in_lang(listed.lang())) }
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
    let lang = request.lang();
    let all = all(rules);
    let of_endpoint = |name: &str| -> Vec<ListedQuestion> {
        let own = all.iter().filter(|own| own.listed.endpoint.name == name);
        own.copied().collect()
    };

    let content = html! {
        h1 { (TITLE.in_lang(lang)) }
        p.lead {
            (say(
                lang,
                "Chaque réponse est calculée avec les barèmes en vigueur ce jour, et donne ses \
                 textes.",
                "Every answer is calculated with the figures in force today, and cites its sources."
            ))
        }
        @for endpoint in &rules.service().endpoints {
            @let own = of_endpoint(&endpoint.name);
            @if !own.is_empty() { h2 { (prose(&endpoint.title)) } (links(&own, today)) }
        }
    };

    let page = Page {
        title: TITLE.in_lang(lang),
        description: say(
            lang,
            "Salaire net, brut, coût, impôt, frais et mensualités\u{a0}: les réponses aux \
             questions les plus posées, calculées avec les barèmes du jour.",
            "Net pay, gross pay, employer cost, minimum wages and VAT rates: answers to what \
             people ask most, calculated with the figures of the day.",
        ),
        path: Some(PATH),
        switch: request.has_both(PATH).then_some(""),
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
    let ListedQuestion { listed, .. } = asked;
    let lang = request.lang();
    let answered = Answered::new(rules, asked, today)?;
    let title = asked.title(today);
    let path = asked.french_path();

    let content = html! {
        p.trail {
            a href=(localized(PATH, lang)) { (TITLE.in_lang(lang)) }
            " › " (prose(&listed.endpoint.title))
        }
        h1 { (title) }
        @match &answered {
            Some(answered) => (self::answered(answered, lang, today)),
            None => {
                p {
                    (say(
                        lang,
                        "Les barèmes du jour ne répondent pas à cette question.",
                        "The figures of today do not answer this question."
                    ))
                }
                p.actions {
                    a.button href=(listed.simulator()) {
                        (say(lang, "Ouvrir le simulateur", "Open the calculator"))
                    }
                }
            }
        }
        (of_folder(rules, listed, Some(&path), today))
    };

    // The answer is in the title, for those who read it in a list of results.
    let full = match (&answered, lang) {
        (Some(answered), Lang::Fr) => format!("{title} : {}", answered.value),
        (Some(answered), Lang::En) => format!("{title}: {}", answered.value),
        (None, _) => title.clone(),
    };
    let text = answered.as_ref().map(|answered| printed(&answered.text));
    let page = Page {
        title: &full,
        description: text.as_deref().unwrap_or_default(),
        path: Some(&path),
        switch: request.has_both(&path).then_some(""),
        data: text.as_deref().map(|text| data(&title, text, lang)),
        content,
        ..Page::default()
    };
    Ok(page.render(rules.service()))
}

/// The answer, how it is made, and the texts of the law.
fn answered(answered: &Answered, lang: Lang, today: Date) -> Markup {
    html! {
        p.sentence { (prose(&answered.text)) }
        section.answer.question aria-label=(say(lang, "Résultat", "Result")) {
            (answered.headline)
        }
        p.actions.screen {
            a.button href=(answered.link) {
                (say(
                    lang,
                    "Voir le détail et changer ma situation",
                    "See the detail and change my situation"
                ))
            }
        }
        h2 {
            (say(lang, "Comment ce montant est calculé", "How this amount is calculated"))
        }
        (answered.made)
        h2 { (say(lang, "D’où viennent les chiffres", "Where the figures come from")) }
        p { (say(lang, "Calcul du ", "Calculated on ")) (day_in(today, lang)) "." }
        (answered.sources)
    }
}

/// The question and its answer as JSON-LD for search engines.
fn data(title: &str, text: &str, lang: Lang) -> Value {
    json!({
        "@context": "https://schema.org",
        "@type": "FAQPage",
        "inLanguage": code(lang),
        "mainEntity": [{
            "@type": "Question",
            "name": title,
            "acceptedAnswer": {"@type": "Answer", "text": text},
        }],
    })
}
