//! Report of the confirmed cells: old and new values, their change, their sources.

use bareme_engine::Diagnostic;
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::apply::Plan;
use super::reading::Confirmed;
use crate::page::Page;
use crate::series::Series;
use crate::session::{Outcome, Session};

/// How many of the mistakes that hold a scale back are shown.
const SHOWN: usize = 12;

/// Report of the confirmed cells; the mistakes and doubts of `held_back` keep the scale from coming
/// into force.
pub(super) fn outcome(
    series: &Series,
    plan: &Plan,
    held_back: &[Diagnostic],
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let (folder, date, count) = (&series.folder, plan.date, plan.confirmed.len());

    // What was confirmed, the later files that have or undo it, and what is left.
    let mut page = Page::default();
    page.toned(
        match plan.confirmed.as_slice() {
            [one] => {
                let name = &one.name;
                say!(
                    lang,
                    "`{name}` confirmé au {date}.",
                    "`{name}` confirmed on {date}."
                )
            }
            _ => say!(
                lang,
                "{count} valeurs confirmées au {date}.",
                "{count} values confirmed on {date}."
            ),
        },
        Tone::Good,
    );

    page.table(table(plan, session));
    notes(&mut page, plan, session);
    page.text(rest(plan, folder, held_back.len(), session));
    show_held_back(held_back, &mut page, session);

    Outcome {
        page,
        json: json(series, plan, held_back, session),
        annotations: Vec::new(),
    }
}

/// What was confirmed in a file, for programs. Figures count once however many cells they have
/// left.
pub(super) fn json(
    series: &Series,
    plan: &Plan,
    held_back: &[Diagnostic],
    session: &Session,
) -> Value {
    let (figures, cells) = plan.left;
    json!({
        "bareme": series.folder, "date": plan.date.to_string(), "restent": figures, "valeurs_restantes": cells,
        "admis": plan.accepted, "retenu_par": held_back, "sources_retirees": plan.uncited,
        "confirmes": plan.confirmed.iter().map(|one| as_json(one, session)).collect::<Vec<_>>(),
    })
}

/// The later files that have or undo a change, and the doubts that were accepted.
pub(super) fn notes(page: &mut Page, plan: &Plan, session: &Session) {
    let lang = session.lang;
    for confirmed in &plan.confirmed {
        let Confirmed { name, old, new, .. } = confirmed;
        let old = old.as_deref().unwrap_or_default();
        if !confirmed.carried.is_empty() {
            let days = days(&confirmed.carried).join(", ");
            page.text(say!(
                lang,
                "`{name}` écrit aussi dans : {days}.",
                "`{name}` written into these too: {days}."
            ));
        }

        if !confirmed.undone.is_empty() {
            let days = days(&confirmed.undone).join(", ");
            let text = say!(
                lang,
                "Attention : {days} porte encore {old} pour `{name}`, et annule {new} ce jour-là. `--carry` l’y écrit aussi.",
                "Beware: {days} still has {old} for `{name}`, and undoes {new} on that day. `--carry` writes it there too."
            );
            page.toned(text, Tone::Warning);
        }
    }

    for accepted in &plan.accepted {
        let text = say!(
            lang,
            "Admis avec son motif, gardé dans `reviewed` : {accepted}",
            "Accepted with its reason, which `reviewed` keeps: {accepted}"
        );
        page.toned(text, Tone::Warning);
    }

    if !plan.uncited.is_empty() {
        let ids = plan.uncited.join(", ");
        page.text(say!(
            lang,
            "Sources que plus aucun chiffre ne cite, retirées du fichier : {ids}.",
            "Sources that no figure cites any more, removed from the file: {ids}."
        ));
    }
}

/// The first of what holds the scale back, each with its cure.
pub(super) fn show_held_back(held_back: &[Diagnostic], page: &mut Page, session: &Session) {
    if held_back.is_empty() {
        return;
    }

    let lang = session.lang;
    let shown = |one: &Diagnostic| {
        let (code, message, cure) = (one.code(), one.message(lang), one.cure(lang));
        format!("[{code}] {message} : {cure}")
    };
    page.list(held_back.iter().take(SHOWN).map(shown).collect::<Vec<_>>());
}

fn table(plan: &Plan, session: &Session) -> Table {
    let lang = session.lang;

    // All cells are of one file, so that one earlier day heads the column.
    let since = plan.confirmed.iter().find_map(|one| one.since);
    let mut table = Table::default()
        .text(say!(lang, "Chiffre", "Figure"))
        .number(since.map_or_else(|| say!(lang, "Avant", "Before"), |since| since.to_string()))
        .text("")
        .number(plan.date.to_string())
        .number(say!(lang, "Écart", "Change"))
        .text(say!(lang, "Source", "Source"));

    for one in &plan.confirmed {
        // A changed value is shown in bold: it is the one to read again.
        let tone = if one.is_changed() {
            Tone::Strong
        } else {
            Tone::Plain
        };
        table.row([
            one.name.as_str().into(),
            one.old.as_deref().unwrap_or("–").into(),
            "->".into(),
            Cell::toned(one.new.clone(), tone),
            one.change(lang).into(),
            sources(one).join("\n").into(),
        ]);
    }

    table
}

/// The sources of a cell with their dates, and the reason in place of one.
fn sources(one: &Confirmed) -> Vec<String> {
    // The date shows whether the text is later than the scale before.
    let dated = |(id, date): &(String, Option<Date>)| {
        date.map_or_else(|| id.clone(), |date| format!("{id} ({date})"))
    };

    let sources = one.sources.iter().map(dated);
    sources.chain(one.words.clone()).collect()
}

fn days(days: &[Date]) -> Vec<String> {
    days.iter().map(Date::to_string).collect()
}

fn as_json(one: &Confirmed, session: &Session) -> Value {
    json!({
        "chiffre": one.name, "avant": one.old, "apres": one.new, "ecart": one.change(session.lang),
        "sources": one.sources.iter().map(|(id, date)| json!({"id": id, "date": date.map(|date| date.to_string())})).collect::<Vec<_>>(),
        "motif": one.words, "reporte": days(&one.carried), "annule_par": days(&one.undone),
    })
}

/// A sentence on what is left to do.
fn rest(plan: &Plan, folder: &str, held_back: usize, session: &Session) -> String {
    let lang = session.lang;
    let (figures, cells) = plan.left;
    // A draft whose cases fail stays one, otherwise the whole set would be refused.
    match cells {
        0 if held_back > 0 => bareme_engine::text::pluralized(
            &say!(
                lang,
                "Plus aucun chiffre à confirmer, mais {held_back} erreur(s) des cas ou du fichier arrêteraient le dossier : il reste un brouillon par `state: draft`. Corriger ce qui suit ; pour les cas, `bareme test {folder} --drafts` les recalcule, et `--update` récrit ceux qui interrogeaient au-delà du dernier barème et les dit `computed`. Puis retirer cette ligne.",
                "No figure is left to confirm, but {held_back} mistake(s) of the cases or of the file would stop the folder: it stays a draft by `state: draft`. Fix what follows; of the cases, `bareme test {folder} --drafts` runs them, and `--update` rewrites those that asked beyond the last scale and says that they are `computed`. Then remove that line."
            ),
            lang,
        ),
        0 => say!(
            lang,
            "Plus aucun chiffre à confirmer : sans `state: draft`, ce barème entre en vigueur à sa date.",
            "No figure is left to confirm: without `state: draft`, this scale comes into force on its day."
        ),
        _ => bareme_engine::text::pluralized(
            &say!(
                lang,
                "{figures} chiffre(s) à confirmer, {cells} valeur(s).",
                "{figures} figure(s) to confirm, {cells} value(s)."
            ),
            lang,
        ),
    }
}
