//! The figures that a method gives on some days only, in a new dated file.

use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::say;
use jiff::civil::Date;

use super::Next;

impl Next<'_> {
    /// What is different in it by the days of the method, a sentence a figure.
    pub(super) fn differing(&self, lang: Lang) -> Vec<String> {
        let ended = self.ended.iter().map(|name| {
            say!(
                lang,
                "`{name}` a pris fin : le fichier ne l’a plus.",
                "`{name}` has ended: the file does not have it any more."
            )
        });
        let starting = self.starting.iter().map(|name| {
            say!(
                lang,
                "`{name}` commence : l’ajouter à ce fichier, avec sa source.",
                "`{name}` starts: add it to this file, with its source."
            )
        });
        ended.chain(starting).collect()
    }
}

/// The figures of a method that end between two days, and those that start there.
pub(super) fn dated_figures(folder: &Folder, last: Date, from: Date) -> (Vec<String>, Vec<String>) {
    let is_last = |edition: &&Edition| edition.scale().is_some_and(|scale| scale.date == last);
    let edition = folder.editions().iter().find(is_last);
    let shapes = edition.map(|edition| edition.method().figures_of_all_days());

    let (mut ended, mut starting) = (Vec::new(), Vec::new());
    let own = shapes.unwrap_or_default().iter();
    for shape in own.filter(|shape| shape.shared.is_none()) {
        match (shape.is_given_on(last), shape.is_given_on(from)) {
            (true, false) => ended.push(shape.name.clone()),
            (false, true) => starting.push(shape.name.clone()),
            _ => {}
        }
    }
    (ended, starting)
}
