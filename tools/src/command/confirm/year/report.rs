//! The report of a sheet of many folders: what was confirmed in each file, and what is left there.

use bareme_show::{Cell, Table, Tone, say};
use serde_json::Value;

use super::super::report::{json, notes, show_held_back};
use super::plans::Planned;
use crate::page::Page;
use crate::session::{Outcome, Session};

/// The report of the files of a sheet.
pub(super) fn outcome(planned: &[Planned], session: &Session) -> Outcome {
    let lang = session.lang;
    let count: usize = planned.iter().map(|one| one.plan.confirmed.len()).sum();
    let files = planned.len();

    // 1. The files.
    let mut page = Page::default();
    page.toned(
        bareme_engine::text::pluralized(
            &say!(
                lang,
                "{count} valeur(s) confirmée(s), {files} fichier(s).",
                "{count} value(s) confirmed, {files} file(s)."
            ),
            lang,
        ),
        Tone::Good,
    );
    page.table(table(planned, session));

    // 2. What is to be known of each, and what all that is held back needs.
    for Planned {
        series,
        plan,
        held_back,
    } in planned
    {
        let mut own = Page::default();
        notes(&mut own, plan, session);
        show_held_back(held_back, &mut own, session);
        if !own.blocks.is_empty() {
            page.heading(format!("{} {}", series.folder, plan.date));
            page.blocks.extend(own.blocks);
        }
    }
    if planned.iter().any(|one| !one.held_back.is_empty()) {
        page.heading(say!(lang, "Encore des brouillons", "Still drafts"));
        page.text(say!(
            lang,
            "Là où des erreurs suivent le nom d’un fichier sans chiffre à confirmer, elles arrêteraient le dossier : il reste un brouillon par `state: draft`. Les corriger ; pour les cas, `bareme test DOSSIER --drafts` les recalcule, et `--update` récrit ceux qui interrogeaient au-delà du dernier barème. Puis retirer cette ligne.",
            "Where mistakes follow the name of a file without a figure to confirm, they would stop the folder: it stays a draft by `state: draft`. Fix them; of the cases, `bareme test FOLDER --drafts` runs them, and `--update` rewrites those that asked beyond the last scale. Then remove that line."
        ));
    }

    let json: Vec<Value> = planned
        .iter()
        .map(|one| json(&one.series, &one.plan, &one.held_back, session))
        .collect();
    Outcome {
        page,
        json: json.into(),
        annotations: Vec::new(),
    }
}

fn table(planned: &[Planned], session: &Session) -> Table {
    let lang = session.lang;
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Fichier", "File"))
        .number(say!(lang, "Confirmées", "Confirmed"))
        .number(say!(lang, "Changées", "Changed"))
        .number(say!(lang, "À confirmer", "To confirm"));

    for Planned {
        series,
        plan,
        held_back,
    } in planned
    {
        let changed = plan.confirmed.iter().filter(|one| one.is_changed());
        let (_, left) = plan.left;
        let tone = if left == 0 && held_back.is_empty() {
            Tone::Good
        } else {
            Tone::Warning
        };
        table.row([
            series.folder.as_str().into(),
            plan.date.to_string().into(),
            plan.confirmed.len().to_string().into(),
            changed.count().to_string().into(),
            Cell::toned(left.to_string(), tone),
        ]);
    }
    table
}
