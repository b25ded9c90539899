//! The e-mail about a correction of the law that answers to a key applied.

use bareme_engine::service::Service;
use bareme_engine::text::{french_date, number_french};
use jiff::civil::Date;

use super::Letter;
use crate::store::Record;

/// A correction of a law that a key used.
#[derive(Debug)]
pub struct UsedCorrection {
    /// The title of the calculation.
    pub title: String,
    /// The days whose law is corrected, in words.
    pub days: String,
    /// A sentence for each field that moves.
    pub effects: Vec<String>,
    /// The version of the law that the answers to the key applied.
    pub before: String,
    /// The version that applies now.
    pub after: Option<String>,
    /// Answers by the earlier one.
    pub calls: i64,
    /// The day of the last of them.
    pub last: Date,
}

/// The corrections of a rule set, and the pages about it.
#[derive(Debug)]
pub struct PublishedCorrections<'n> {
    /// The day of publication.
    pub published: Date,
    /// The corrections of what the key used.
    pub corrections: &'n [UsedCorrection],
    /// The address of the page of corrections.
    pub page: String,
    /// The address of the page on which an owner stops these e-mails.
    pub owner_page: String,
}

impl Letter {
    /// The letter about the corrections of a rule set, to the owner of a key that used what they
    /// correct.
    pub fn of_corrections(
        service: &Service,
        record: &Record,
        news: &PublishedCorrections<'_>,
    ) -> Self {
        let PublishedCorrections {
            published,
            corrections,
            page,
            owner_page,
        } = news;
        let (title, last_four) = (&service.title, &record.last_four);
        let published = french_date(*published);
        let listed: String = corrections.iter().map(in_words).collect();
        let version = corrections
            .first()
            .map_or("", |first| first.before.as_str());

        let text = format!(
            "Bonjour,\n\n\
             Une correction publiée le {published} change la loi que des réponses à votre clé \
             {title} ont appliquée (celle qui finit par {last_four}). Des montants que vous avez \
             reçus peuvent être inexacts.\n\n\
             {listed}\
             Un appel sans version= applique désormais la correction\u{a0}: recalculez les montants de \
             ces dates dont vous vous servez encore. Pour retrouver une réponse telle qu’elle a \
             été donnée, ajoutez à l’appel la version de vos réponses, par exemple \
             version={version}\n\n\
             L’effet est mesuré sur les cas types de chaque calcul\u{a0}; le vôtre peut être \
             différent. Toutes les corrections\u{a0}: {page}\n\n\
             Vous avez demandé à recevoir ces courriels. Pour ne plus les recevoir, ouvrez la page \
             de vos clés\u{a0}: {owner_page}\n"
        );
        Self {
            recipient: record.email.clone(),
            subject: subject(corrections),
            text,
        }
    }
}

/// The subject: the first calculation, and how many others.
fn subject(corrections: &[UsedCorrection]) -> String {
    let mut titles: Vec<&str> = corrections.iter().map(|one| one.title.as_str()).collect();
    titles.dedup();
    match titles.as_slice() {
        [] => "Correction".to_owned(),
        [only] => format!("Correction\u{a0}: {only}"),
        [first, _] => format!("Correction\u{a0}: {first} et un autre calcul"),
        [first, others @ ..] => {
            let count = others.len();
            format!("Correction\u{a0}: {first} et {count} autres calculs")
        }
    }
}

fn in_words(correction: &UsedCorrection) -> String {
    let UsedCorrection {
        title,
        days,
        effects,
        before,
        after,
        calls,
        last,
    } = correction;
    let effects: String = effects
        .iter()
        .map(|effect| format!("- {effect}\n"))
        .collect();
    let answers = match calls {
        1 => format!("une réponse, le {}", french_date(*last)),
        calls => {
            let count = number_french((*calls).into());
            format!("{count} réponses, la dernière le {}", french_date(*last))
        }
    };
    let after = after.as_ref().map_or_else(String::new, |after| {
        format!("Version en service\u{a0}: {after}\n")
    });

    format!(
        "{title}\n{days}\n{effects}Version de vos réponses\u{a0}: {before} ({answers})\n{after}\n"
    )
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::store::testing;

    fn used(title: &str, calls: i64) -> UsedCorrection {
        UsedCorrection {
            title: title.to_owned(),
            days: "Depuis le 1er janvier 2026".to_owned(),
            effects: vec!["Impôt : 5 au lieu de 7.".to_owned()],
            before: "00aa".to_owned(),
            after: Some("00bb".to_owned()),
            calls,
            last: date(2026, 11, 1),
        }
    }

    fn letter(corrections: &[UsedCorrection]) -> Letter {
        let service = Service {
            title: "Essai".to_owned(),
            ..Service::default()
        };
        let news = PublishedCorrections {
            published: date(2026, 11, 30),
            corrections,
            page: "https://a.example/corrections".to_owned(),
            owner_page: "https://a.example/cle".to_owned(),
        };
        Letter::of_corrections(&service, &testing::record(), &news)
    }

    #[test]
    fn a_letter_lists_each_correction_with_the_answers_that_it_concerns() {
        let one = letter(&[used("Impôt", 1), used("Salaire", 1_234)]);
        assert_eq!(one.recipient, "claire@example.org");
        let text = one.text.replace(['\u{a0}', '\u{202f}'], " ");
        for part in [
            "publiée le 30 novembre 2026 ",
            "Impôt\nDepuis le 1er janvier 2026\n- Impôt : 5 au lieu de 7.\n\
             Version de vos réponses : 00aa (une réponse, le 1er novembre 2026)\n\
             Version en service : 00bb\n\nSalaire\n",
            "00aa (1 234 réponses, la dernière le 1er novembre 2026)\n",
            "par exemple version=00aa\n",
            "courriels. Pour ne plus les recevoir, ouvrez la page de vos clés : https://a.example/cle\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!one.text.contains('\''), "{}", one.text);
    }

    #[test]
    fn the_subject_names_the_first_calculation_and_counts_the_others() {
        for (titles, subject) in [
            (vec!["Impôt"], "Correction\u{a0}: Impôt"),
            // Two periods of one calculation.
            (vec!["Impôt", "Impôt"], "Correction\u{a0}: Impôt"),
            (
                vec!["Impôt", "Salaire"],
                "Correction\u{a0}: Impôt et un autre calcul",
            ),
            (
                vec!["Impôt", "Salaire", "TVA"],
                "Correction\u{a0}: Impôt et 2 autres calculs",
            ),
        ] {
            let corrections: Vec<_> = titles.iter().map(|title| used(title, 2)).collect();
            assert_eq!(letter(&corrections).subject, subject);
        }
    }
}
