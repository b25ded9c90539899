//! Formulas and roundings of a rule file, put in the words of a reader who does not write rules.

use bareme_engine::{Function, Lang, Period, RoundMode, Type, column_words};

use crate::session::say;

/// A formula in words: `if given(mois) then base.pas else 0.5` as `si mois est donné alors base (pas) sinon 0,5`.
pub(crate) fn formula(text: &str, lang: Lang) -> String {
    let pieces = pieces(text);
    let mut out = String::new();
    let mut rest = pieces.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let words = Function::find(first).map(|function| function.words.in_lang(lang));
        if let (Some((before, behind)), ["(", name, ")", after @ ..]) =
            (words.and_then(|words| words.split_once("{}")), after)
        {
            out.extend([before, name, behind]);
            rest = after;
            continue;
        }
        out.push_str(&word(first, lang));
    }
    out
}

/// Names with their column, numbers, operators and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '%');
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            '!' | '<' | '>' if rest.chars().nth(1) == Some('=') => 2,
            _ => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn word(piece: &str, lang: Lang) -> String {
    let in_both = |fr: &str, en: &str| if lang == Lang::Fr { fr.to_owned() } else { en.to_owned() };
    match piece {
        "*" => "x".to_owned(),
        "!=" => "≠".to_owned(),
        "<=" => "≤".to_owned(),
        ">=" => "≥".to_owned(),
        ";" => in_both(" ;", ";"),
        "if" => in_both("si", "if"),
        "then" => in_both("alors", "then"),
        "else" => in_both("sinon", "else"),
        "and" => in_both("et", "and"),
        "or" => in_both("ou", "or"),
        "not" => in_both("non", "not"),
        "true" => in_both("oui", "yes"),
        "false" => in_both("non", "no"),
        "scale.year" => in_both("année de la date", "year of the date"),
        "scale.month" => in_both("mois de la date", "month of the date"),
        _ => match Function::find(piece) {
            Some(function) => function.words.in_lang(lang).to_owned(),
            None => name_or_number(piece, lang),
        },
    }
}

/// A column after the name of what it belongs to, a number as the language writes it.
fn name_or_number(piece: &str, lang: Lang) -> String {
    match piece.split_once('.') {
        Some(_) if piece.starts_with(|first: char| first.is_ascii_digit()) => match lang {
            Lang::Fr => piece.replace('.', ",").replace('%', " %"),
            Lang::En => piece.to_owned(),
        },
        Some((name, of)) => format!("{name} ({})", column(of, lang)),
        None if lang == Lang::Fr && piece.ends_with('%') => piece.replace('%', " %"),
        None => piece.to_owned(),
    }
}

/// The name of a column or of an output: those that the language gives have words, the others their own name.
pub(crate) fn column(name: &str, lang: Lang) -> String {
    column_words(name).map_or(name, |words| words.in_lang(lang)).to_owned()
}

/// A rounding as a step writes it, `base.pas down` or `0.01`; several follow each other.
pub(crate) fn rounding(text: &str, lang: Lang) -> String {
    let one = |text: &str| {
        let (unit, word) = text.trim().rsplit_once(' ').unwrap_or((text.trim(), ""));
        let mode = RoundMode::WORDS.iter().find(|(known, _)| *known == word).map(|(_, mode)| *mode);
        let unit = formula(if mode.is_some() { unit } else { text.trim() }, lang);
        match mode.unwrap_or(RoundMode::HalfUp) {
            RoundMode::HalfUp => say!(lang, "au plus proche, à {unit}", "to the nearest {unit}"),
            RoundMode::Down => say!(lang, "par défaut, à {unit}", "down to {unit}"),
            RoundMode::Up => say!(lang, "par excès, à {unit}", "up to {unit}"),
        }
    };
    let then = say!(lang, ", puis ", ", then ");
    text.split(';').map(one).collect::<Vec<_>>().join(&then)
}

/// What an amount is counted in: `XOF par mois`; nothing of what is no amount.
pub(crate) fn unit(ty: Type, currency: Option<&str>, lang: Lang) -> Option<String> {
    let Type::Money(period) = ty else { return None };
    let period = match period {
        Period::None => String::new(),
        Period::Month => say!(lang, "par mois", "per month"),
        Period::Year => say!(lang, "par an", "per year"),
    };
    let unit = format!("{} {period}", currency.unwrap_or_default());
    Some(unit.trim().to_owned()).filter(|unit| !unit.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_roundings_are_read_without_their_language() {
        let said = |text| (formula(text, Lang::Fr), formula(text, Lang::En));
        let (french, english) = said("if given(mois) and brut >= base.pas then min(brut * 0.5; its.rate) else 12");
        assert_eq!(
            french,
            "si mois est donné et brut ≥ base (pas) alors le plus petit de (brut x 0,5 ; its (taux)) sinon 12"
        );
        assert_eq!(
            english,
            "if mois is given and brut ≥ base (pas) then the least of (brut x 0.5; its (rate)) else 12"
        );
        assert_eq!(rounding("base.pas down", Lang::Fr), "par défaut, à base (pas)");
        assert_eq!(rounding("unite; 0.01 up", Lang::Fr), "au plus proche, à unite, puis par excès, à 0,01");
        assert_eq!(rounding("1", Lang::En), "to the nearest 1");
    }

    #[test]
    fn amounts_say_their_currency_and_period() {
        assert_eq!(unit(Type::Money(Period::Year), Some("XOF"), Lang::Fr).as_deref(), Some("XOF par an"));
        assert_eq!(unit(Type::Money(Period::None), Some("EUR"), Lang::En).as_deref(), Some("EUR"));
        assert_eq!(
            (unit(Type::Rate, Some("EUR"), Lang::Fr), unit(Type::Money(Period::None), None, Lang::Fr)),
            (None, None)
        );
    }
}
