//! Readings of a cell in its legal text, and the checks that accept them.

use bareme_engine::Lang;
use bareme_engine::authoring::{Node, WrittenCell, claims_unchanged, is_reason, written_number};
use bareme_show::{Locale, say};
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::text_of_law;
use crate::series::{DatedFile, Series, ids, is_same};

/// A reading of a cell: value, source, reason.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// The value in the text; by default that of the file.
    pub value: Option<String>,
    /// Ids of the sources that set it, separated as in a file.
    pub source: Option<String>,
    /// Why it still holds although no new source sets it.
    pub words: Option<String>,
}

/// A confirmed cell, with its earlier value.
#[derive(Debug, Clone)]
pub(super) struct Confirmed {
    pub name: String,
    /// The day of the earlier file.
    pub since: Option<Date>,
    pub old: Option<String>,
    pub new: String,
    /// The sources that set it, each with its date.
    pub sources: Vec<(String, Option<Date>)>,
    pub words: Option<String>,
    /// Later files that got the value too.
    pub carried: Vec<Date>,
    /// Later files that return to the earlier value.
    pub undone: Vec<Date>,
}

impl Confirmed {
    pub(super) fn is_changed(&self) -> bool {
        self.old.as_ref().is_none_or(|old| !is_same(old, &self.new))
    }

    /// Change of the value, in percent of the earlier one.
    pub(super) fn change(&self, lang: Lang) -> String {
        change(self.old.as_deref(), &self.new, lang)
    }
}

/// Change of a value, in percent of the earlier one.
pub(super) fn change(old: Option<&str>, new: &str, lang: Lang) -> String {
    let Some(old) = old else {
        return say!(lang, "nouveau", "new");
    };
    if is_same(old, new) {
        return say!(lang, "inchangé", "unchanged");
    }

    let (Some(old), Some(new)) = (written_number(old), written_number(new)) else {
        return say!(lang, "changé", "changed");
    };

    let share = new.saturating_sub(old).checked_div(old.abs());
    let share = share.map(|share| Locale::from(lang).percent(share.round_dp(4)));
    let sign = if new > old { "+" } else { "" };
    share.map_or_else(
        || say!(lang, "changé", "changed"),
        |share| format!("{sign}{share}"),
    )
}

/// Whether a value says that it stays as it was, in words.
fn is_same_word(value: &str) -> bool {
    let plain = value.trim().trim_end_matches('.').to_lowercase();
    [
        "idem",
        "id",
        "inchangé",
        "inchange",
        "inchangée",
        "=",
        "same",
        "unchanged",
    ]
    .contains(&plain.as_str())
}

/// What to do about a rate without `%`: a number below 1 may be a fraction, and one above 100 is an
/// amount of another line.
fn percent_cure(value: &str, lang: Lang) -> String {
    let number = written_number(value).map(|number| number.abs());
    let fraction = number.filter(|number| *number < Decimal::ONE);
    let percent = fraction.and_then(|number| number.checked_mul(Decimal::ONE_HUNDRED));
    let percent = percent.map(|percent| percent.normalize());

    match percent {
        Some(percent) => say!(
            lang,
            "Écrire `{percent}%`, ou `{value}%` si le taux est bien de moins de 1 %.",
            "Write `{percent}%`, or `{value}%` if the rate is indeed below 1 %."
        ),
        None if number.is_some_and(|number| number > Decimal::ONE_HUNDRED) => say!(
            lang,
            "Relire la ligne : ce n’est pas un taux.",
            "Read the line again: this is no rate."
        ),
        None => say!(lang, "Écrire `{value}%`.", "Write `{value}%`."),
    }
}

/// The checks of the readings of a file.
pub(super) struct Judge<'s> {
    pub series: &'s Series,
    pub file: &'s DatedFile,
    /// The day of the command: a text of a later day was read by nobody.
    pub today: Date,
    pub lang: Lang,
}

impl Judge<'_> {
    /// The confirmed cell, or the reason why its reading is refused.
    pub(super) fn confirmed(
        &self,
        cell: &WrittenCell,
        reading: &Reading,
    ) -> Result<Confirmed, String> {
        let before = self.series.before(self.file.date);
        let earlier = before.and_then(|before| self.series.counterpart(cell, self.file, before));
        let written = |cell: &WrittenCell| {
            cell.text
                .map_or_else(String::new, |text| text.value.clone())
        };

        let old = earlier.as_ref().map(written);
        let new = reading.value.clone().unwrap_or_else(|| written(cell));
        // The form comes first: a change cannot be computed of what is no number.
        self.check_form(cell, reading)?;
        self.check_words(cell, reading)?;

        // Without a source on the command line, those of the file count, if they are its own.
        let own = self.file.sources_of(cell.figure, cell.row);
        let named = reading.source.as_deref().map_or(own, ids);
        self.check_adopted(cell, &named)?;

        let confirmed = Confirmed {
            name: cell.name(),
            since: before.map(|before| before.date),
            old,
            new,
            sources: named
                .iter()
                .map(|id| (id.clone(), date_of(self.file.source(id))))
                .collect(),
            words: reading.words.clone(),
            carried: Vec::new(),
            undone: Vec::new(),
        };

        // The proof that is needed depends on whether the value has changed; a new figure needs a
        // value that was read.
        match before {
            Some(before) if confirmed.is_changed() => {
                self.check_changed(cell, reading, &confirmed, before, &named)?
            }
            Some(before) => self.check_unchanged(cell, reading, &confirmed, before, &named)?,
            None if reading.value.is_none() && cell.text.is_some() => {
                return Err(self.unread(&confirmed));
            }
            None => {}
        }

        Ok(confirmed)
    }

    fn check_form(&self, cell: &WrittenCell, reading: &Reading) -> Result<(), String> {
        let Some(value) = &reading.value else {
            return Ok(());
        };

        let name = cell.name();
        let Some(text) = cell.text else {
            return Err(say!(
                self.lang,
                "`{name}` n’a pas de valeur dans ce fichier : l’y écrire à la main d’abord.",
                "`{name}` has no value in this file: write it there by hand first."
            ));
        };

        // A number cannot become a text: a typing slip would be written into the law.
        let known = &text.value;
        if written_number(known).is_some() && is_same_word(value) {
            return Err(say!(
                self.lang,
                "`{value}` n’est pas une valeur de `{name}` : écrire `{known}` si le texte le dit, ou `=` dans une feuille.",
                "`{value}` is no value of `{name}`: write `{known}` if the text says so, or `=` in a sheet."
            ));
        }
        if written_number(known).is_some() && written_number(value).is_none() {
            return Err(say!(
                self.lang,
                "`{value}` n’est pas une valeur de `{name}` : écrire un nombre, comme `6.3%`, `1 296 000` ou `11.50`.",
                "`{value}` is no value of `{name}`: write a number, like `6.3%`, `1 296 000` or `11.50`."
            ));
        }

        // Nor a rate an amount, or the reverse: two lines were mixed up, or a `%` is missing.
        let is_rate = |text: &str| text.trim_end().ends_with('%');
        let has_two_units = is_rate(known) != is_rate(value) && known != "0" && value != "0";
        if has_two_units && written_number(known).is_some() {
            return Err(if is_rate(known) {
                let cure = percent_cure(value, self.lang);
                say!(
                    self.lang,
                    "`{name}` est un taux, et valait {known} ; `{value}` n’a pas de `%`. {cure}",
                    "`{name}` is a rate, and was {known}; `{value}` has no `%`. {cure}"
                )
            } else {
                say!(
                    self.lang,
                    "`{name}` n’est pas un taux, et valait {known} ; `{value}` en est un. Relire la ligne.",
                    "`{name}` is no rate, and was {known}; `{value}` is one. Read the line again."
                )
            });
        }

        Ok(())
    }

    /// Checks that a reason says something.
    fn check_words(&self, cell: &WrittenCell, reading: &Reading) -> Result<(), String> {
        match &reading.words {
            Some(words) if !is_reason(words) => Err(says_nothing(&cell.name(), words, self.lang)),
            _ => Ok(()),
        }
    }

    /// Checks that the sources are texts that set the law: adopted, and read by now.
    fn check_adopted(&self, cell: &WrittenCell, named: &[String]) -> Result<(), String> {
        let refused = |id: &String| {
            let text = self.file.source(id)?;
            text_of_law::refused(id, text, self.today, self.lang)
        };
        let Some(cause) = named.iter().find_map(refused) else {
            return Ok(());
        };
        let name = cell.name();
        Err(say!(
            self.lang,
            "`{name}` : {cause}. Un chiffre se confirme par le texte adopté et publié : le donner par `--source`, avec sa date ; d’ici là, le chiffre reste à confirmer.",
            "`{name}`: {cause}. A figure is confirmed by the text that was adopted and published: give it by `--source`, with its date; until then the figure stays unconfirmed."
        ))
    }

    /// Checks that a changed value was typed, and read in another text than the earlier one.
    fn check_changed(
        &self,
        cell: &WrittenCell,
        reading: &Reading,
        confirmed: &Confirmed,
        before: &DatedFile,
        named: &[String],
    ) -> Result<(), String> {
        // A value that nobody typed was not read: it may be the proposal of an index.
        if reading.value.is_none() && cell.text.is_some() {
            return Err(self.unread(confirmed));
        }

        // A reason that says `unchanged` contradicts the change.
        if reading.words.as_deref().is_some_and(claims_unchanged) {
            return Err(self.not_unchanged(confirmed));
        }

        let earlier = self.series.counterpart(cell, self.file, before);
        let cited = earlier
            .map(|earlier| before.sources_of(earlier.figure, earlier.row))
            .unwrap_or_default();
        // A change needs another text than the one that set the earlier value, or a reason.
        let is_new = |id: &String| !cited.contains(id) || !self.is_as_before(id, before);
        let is_counted = self.counts(cell, reading) && named.iter().any(is_new);
        if reading.words.is_some() {
            return Ok(());
        }
        if is_counted {
            let new = named.iter().filter(|id| is_new(id));
            return self.check_recent(confirmed, new, before.date);
        }

        let (name, day, old) = (
            &confirmed.name,
            before.date,
            confirmed.old.clone().unwrap_or_default(),
        );

        let (new, named) = (&confirmed.new, named.join("; "));
        Err(say!(
            self.lang,
            "`{name}` passe de {old} à {new}, et sa source reste celle du {day} ({named}) : donner par `--source` le texte qui le change ; si le même texte fixait déjà ce jour, le dire par `--because \"…\"`.",
            "`{name}` goes from {old} to {new}, and its source stays that of {day} ({named}): give by `--source` the text that changes it; if the same text set this day already, say so by `--because \"…\"`."
        ))
    }

    /// Checks that an unchanged value was read in a newer text than the earlier scale, or has a
    /// reason.
    fn check_unchanged(
        &self,
        cell: &WrittenCell,
        reading: &Reading,
        confirmed: &Confirmed,
        before: &DatedFile,
        named: &[String],
    ) -> Result<(), String> {
        // An unchanged value needs a text that is later than the earlier scale, so that somebody
        // has looked.
        let is_newer = |id: &String| {
            let date = date_of(self.file.source(id));
            date.is_some_and(|date| date > before.date) && !self.is_as_before(id, before)
        };

        if reading.words.is_some() || (self.counts(cell, reading) && named.iter().any(is_newer)) {
            return Ok(());
        }

        let (name, day, value) = (&confirmed.name, before.date, &confirmed.new);
        Err(say!(
            self.lang,
            "`{name}` reste à {value} : donner par `--source` un texte postérieur au {day} qui le dit, ou par `--unchanged` garder dans le fichier « inchangé, toujours en vigueur ».",
            "`{name}` stays at {value}: give by `--source` a text later than {day} that says so, or keep \"unchanged, still in force\" in the file by `--unchanged`."
        ))
    }

    /// Checks that some of the new texts of a changed value is not much older than the earlier
    /// scale, which would have had the value already. Texts without dates say nothing of it.
    fn check_recent<'i>(
        &self,
        confirmed: &Confirmed,
        new: impl Iterator<Item = &'i String>,
        since: Date,
    ) -> Result<(), String> {
        let dated = new.map(|id| (id, date_of(self.file.source(id))));
        let last = dated.max_by_key(|(_, date)| date.unwrap_or(since));
        let Some((id, Some(date))) = last.filter(|(_, date)| {
            let limit = since.saturating_sub(jiff::Span::new().years(1));
            date.is_some_and(|date| date < limit)
        }) else {
            return Ok(());
        };
        let Confirmed { name, .. } = confirmed;
        Err(say!(
            self.lang,
            "`{name}` change, et le texte donné, `{id}`, est du {date}, plus d’un an avant le barème précédent du {since} : relire sa date, ou donner le texte qui change la valeur ; s’il fixait déjà ce jour, le dire par `--because \"…\"`, ou dans la colonne `motif`.",
            "`{name}` changes, and the given text, `{id}`, is of {date}, more than a year before the earlier scale of {since}: read its date again, or give the text that changes the value; if it set this day already, say so by `--because \"…\"`, or in the column `because`."
        ))
    }

    fn not_unchanged(&self, confirmed: &Confirmed) -> String {
        let (name, new) = (&confirmed.name, &confirmed.new);
        let old = confirmed.old.as_deref().unwrap_or_default();
        say!(
            self.lang,
            "`{name}` passe de {old} à {new} : ce n’est pas « inchangé ». Relire la valeur, ou donner par `--source` le texte qui la change.",
            "`{name}` goes from {old} to {new}: that is not \"unchanged\". Read the value again, or give by `--source` the text that changes it."
        )
    }

    /// Whether the sources in the file count for the cell: until another cell of the same part was
    /// confirmed with its own sources.
    fn counts(&self, cell: &WrittenCell, reading: &Reading) -> bool {
        let is_beside = |other: &&WrittenCell| {
            other.figure == cell.figure && other.row == cell.row && other.column != cell.column
        };

        // A source of the command line is always that of the cell.
        reading.source.is_some()
            || self
                .file
                .cells(&self.series.shapes)
                .iter()
                .filter(is_beside)
                .all(|other| other.is_unconfirmed)
    }

    fn unread(&self, confirmed: &Confirmed) -> String {
        let Confirmed { name, old, new, .. } = confirmed;
        match old {
            Some(old) => say!(
                self.lang,
                "`{name}` vaut {old} dans le barème précédent, et {new} n’est qu’une proposition : donner la valeur lue dans le texte, et sa source (`bareme confirm … {name} VALEUR --source …`).",
                "`{name}` is {old} in the scale before, and {new} is only proposed: give the value that the text says, and its source (`bareme confirm … {name} VALUE --source …`)."
            ),
            None => say!(
                self.lang,
                "`{name}` n’a pas d’équivalent dans le barème précédent : donner la valeur lue dans le texte.",
                "`{name}` has nothing like it in the scale before: give the value that the text says."
            ),
        }
    }

    /// Whether a source has the same entry in this file and in the earlier one.
    fn is_as_before(&self, id: &str, before: &DatedFile) -> bool {
        let written = |file: &DatedFile| file.source(id).map(stated);
        written(before).is_some_and(|known| Some(known) == written(self.file))
    }
}

/// The refusal of a reason that says nothing.
pub(in crate::command) fn says_nothing(name: &str, words: &str, lang: Lang) -> String {
    say!(
        lang,
        "`{name}` : le motif `{words}` ne dit rien que l’on puisse vérifier. L’écrire en trois mots au moins : ce que dit la loi, et où.",
        "`{name}`: the reason `{words}` says nothing that can be checked. Write it in three words at least: what the law says, and where."
    )
}

/// The keys and values of a source.
fn stated(source: &Node) -> Vec<(String, String)> {
    let text = |node: &Node| {
        node.text()
            .map_or_else(String::new, |text| text.value.clone())
    };
    source
        .entries()
        .iter()
        .map(|(key, value)| (key.value.clone(), text(value)))
        .collect()
}

pub(in crate::command) fn date_of(source: Option<&Node>) -> Option<Date> {
    source?.get("date")?.text()?.value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_in_percent_of_the_value_before() {
        let change = |old, new| change(old, new, Lang::Fr);
        assert_eq!(change(Some("11 600"), "11 728"), "+1,1 %");
        assert_eq!(change(Some("7%"), "6.3%"), "−10 %");
        assert_eq!(change(Some("6.30%"), "6.3%"), "inchangé");
        assert_eq!(change(Some("0%"), "6.3%"), "changé");
        assert_eq!(change(None, "1"), "nouveau");
    }
}
