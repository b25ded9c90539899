//! The effect of a change on the folders that calculate the one compared, or take its figures.

use bareme_engine::set::effect::{Caller, ChangedField, Effect, callers};
use bareme_engine::text::pluralized;
use bareme_engine::{FileSet, Lang};
use bareme_show::{Cell, Locale, Table, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::format::json_number;
use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::Session;

/// Most fields of a folder in the page; the JSON has all of them.
const SHOWN: usize = 8;

/// Adds the effect of the later edition on the callers of a folder to a page, and returns it as
/// JSON.
pub(super) fn show(
    rules: &RuleFiles,
    folder: &str,
    days: [Date; 2],
    page: &mut Page,
    session: &Session,
) -> Value {
    let lang = session.lang;
    let files = FileSet::read(&rules.root);
    let found = callers(&files, folder, days, session.drafts);

    page.heading(say!(lang, "Appelé par", "Called by"));
    if found.is_empty() {
        page.text(say!(
            lang,
            "Aucun autre dossier ne calcule celui-ci ni ne reprend ses chiffres.",
            "No other folder calculates this one or takes its figures."
        ));
        return json!([]);
    }

    page.list(found.iter().map(|caller| line(caller, lang)).collect());
    for caller in &found {
        let Some(effect) = &caller.effect else {
            continue;
        };
        if !effect.fields.is_empty() {
            let folder = &caller.folder;
            page.heading(say!(lang, "Effet sur {folder}", "Effect on {folder}"));
            fields(effect, page, lang);
        }
    }

    page.toned(
        say!(
            lang,
            "Cas de référence de chaque dossier, calculés avec les deux barèmes ; ceux d’autres \
             jours le sont au premier jour où ils diffèrent.",
            "Worked cases of each folder, calculated with both scales; those of other days on the \
             first day on which these differ."
        ),
        Tone::Dim,
    );
    found.iter().map(to_json).collect::<Vec<_>>().into()
}

/// What changes for a caller, on one line.
fn line(caller: &Caller, lang: Lang) -> String {
    let (folder, title) = (&caller.folder, &caller.title);
    let Some(effect) = &caller.effect else {
        return say!(
            lang,
            "{folder} ({title}) : non calculé, il a des erreurs avec un des deux barèmes",
            "{folder} ({title}): not computed, it has errors with one of the two scales"
        );
    };
    let Some((from, _)) = caller.days else {
        return say!(
            lang,
            "{folder} ({title}) : ne lit rien de ce qui change",
            "{folder} ({title}): reads nothing of what changes"
        );
    };

    let since = from.map(|from| say!(lang, ", à partir du {from}", ", from {from} on"));
    let since = since.unwrap_or_default();
    let (changed, answered) = (effect.changed, effect.answered);
    let mut line = match changed {
        0 => say!(
            lang,
            "{folder} ({title}){since} : aucun montant ne change, sur {answered} cas",
            "{folder} ({title}){since}: no amount changes, over {answered} case(s)"
        ),
        _ => say!(
            lang,
            "{folder} ({title}){since} : {changed} cas sur {answered} changent",
            "{folder} ({title}){since}: {changed} case(s) out of {answered} change"
        ),
    };

    if effect.refused > 0 {
        let refused = effect.refused;
        line.push_str(&say!(
            lang,
            " ; {refused} cas sont refusés par un des deux barèmes",
            "; {refused} case(s) are refused by one of the two scales"
        ));
    }
    pluralized(&line, lang)
}

/// The fields whose amounts change, those of most cases first.
fn fields(effect: &Effect, page: &mut Page, lang: Lang) {
    let mut table = Table::default()
        .text(say!(lang, "Champ", "Field"))
        .number(say!(lang, "Cas", "Cases"))
        .number(say!(lang, "Avant", "Before"))
        .number(say!(lang, "Après", "After"))
        .text(say!(
            lang,
            "Cas où il change le plus",
            "Case where it changes most"
        ));

    let locale = Locale::from(lang);
    for field in in_order(effect).into_iter().take(SHOWN) {
        table.row([
            field.name.as_str().into(),
            field.count.to_string().into(),
            locale.number(field.before).into(),
            Cell::toned(locale.number(field.after), Tone::Strong),
            query(field, " ").into(),
        ]);
    }
    page.table(table);

    if let Some(others) = effect
        .fields
        .len()
        .checked_sub(SHOWN)
        .filter(|count| *count > 0)
    {
        page.toned(
            pluralized(
                &say!(lang, "Et {others} autre(s).", "And {others} other(s)."),
                lang,
            ),
            Tone::Dim,
        );
    }
}

fn in_order(effect: &Effect) -> Vec<&ChangedField> {
    let mut fields: Vec<&ChangedField> = effect.fields.iter().collect();
    // Fields that change in as many cases stay in the order of the answer.
    fields.sort_by_key(|field| std::cmp::Reverse(field.count));
    fields
}

/// The question in which a field changes most, as the command line or an address has it.
fn query(field: &ChangedField, between: &str) -> String {
    let pairs = field.query.iter();
    pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(between)
}

fn to_json(caller: &Caller) -> Value {
    let day = |day: Option<Date>| day.map(|day| day.to_string());
    let (from, until) = caller.days.unwrap_or_default();
    let field = |field: &&ChangedField| {
        json!({
            "champ": field.name,
            "cas": field.count,
            "requete": query(field, "&"),
            "avant": json_number(field.before),
            "apres": json_number(field.after),
        })
    };
    let effect = caller.effect.as_ref();
    let fields = effect.map(|effect| in_order(effect).iter().map(field).collect::<Vec<_>>());

    json!({
        "dossier": caller.folder,
        "titre": caller.title,
        "du": day(from),
        "au": day(until),
        "cas": effect.map(|effect| effect.answered),
        "cas_changes": effect.map(|effect| effect.changed),
        "cas_refuses": effect.map(|effect| effect.refused),
        "champs": fields,
    })
}
