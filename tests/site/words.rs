//! French as the site, the messages and the rules write it: banned words, each with what to write,
//! and typography.

use std::path::{Path, PathBuf};

use harness::{Server, eventually, repository};

use crate::pages::{page, pages, with_steps};

/// A text that is not written, and what to write in its place.
const BANNED: &[(&str, &str)] = &[
    ("fiche de paie", "bulletin de paie"),
    ("l’interface", "l’API"),
    ("appelant", "utilisateur de l’API"),
    ("variante", "version"),
    ("Sans effet sans", "Pour le coût employeur seulement."),
    (
        ", à la place du brut",
        "Net souhaité, Budget de l’employeur",
    ),
    ("Sans ce paramètre", "Sans choix"),
    ("Ce qu’est le montant", "Montant saisi"),
    ("Sécurité sociale plafonnée", "Vieillesse plafonnée"),
    (
        "Complémentaire tranche",
        "Retraite complémentaire (Agirc-Arrco, CEG), T1",
    ),
    ("Selon les autres réponses", "Déduire des parts"),
    ("Valeur hors du pas", "La valeur doit suivre un pas de …"),
    ("sous la forme AAAA-MM-JJ", "comme 2026-01-31"),
    ("ni exposant ni espace", "Nombre attendu, comme 2650.50"),
    ("peut pas être utilisé", "manque ou est incorrect"),
    ("peuvent pas être utilisés", "manquent ou sont incorrects"),
    ("Comptes indisponibles", "Clés et quotas indisponibles"),
    ("de nouveau entier", "rétabli"),
    (
        "Une clé suit votre quota",
        "Avec une clé, votre quota vous suit",
    ),
    ("barèmes datés tiennent", "calculs, éditions, lignes"),
    ("dont chacun dit son résultat", "au résultat attendu exact"),
    ("Les comptes servent", "Les compteurs servent"),
    (
        "dès que l’ensemble est juste",
        "dès que l’ensemble est valide",
    ),
    ("poussière d’une division", "résidu d’arrondi"),
    ("n’allume", "n’active"),
    ("personne ne peut savoir", "vérification impossible"),
    ("rien ne garde", "rien ne contrôle"),
    ("AGIRC-ARRCO", "Agirc-Arrco"),
    ("APEC", "Apec"),
    ("URSSAF", "Urssaf"),
    (" EUR par ", " € HT par "),
    ("soins de sante", "soins de santé"),
    ("au dela de", "au-delà de"),
    ("demi parts", "demi-parts"),
];

/// Words before an apostrophe.
const ELISIONS: &[&str] = &[
    "l", "d", "j", "n", "s", "c", "m", "t", "qu", "jusqu", "lorsqu", "puisqu", "aujourd",
];

/// Faults of a French text.
fn faults(text: &str) -> Vec<String> {
    let banned = BANNED.iter().filter(|(banned, _)| text.contains(banned));
    let mut faults: Vec<String> = banned
        .map(|(banned, write)| format!("“{banned}”, write “{write}”"))
        .collect();
    for (at, _) in text.match_indices('\'') {
        let before = text[..at]
            .rsplit(|letter: char| !letter.is_alphabetic())
            .next()
            .unwrap_or_default();
        let is_word = text[at + 1..].starts_with(char::is_alphabetic);
        if is_word && ELISIONS.contains(&before.to_lowercase().as_str()) {
            faults.push(format!("a straight apostrophe after “{before}”, write ’"));
        }
    }

    faults
}

/// Signs of a French text that are others, as a person reads them.
const SIGNS: &[(&str, &str)] = &[
    ("&quot;", "«\u{a0}…\u{a0}»"),
    ("« ", "«\u{a0}"),
    (" »", "\u{a0}»"),
    ("cm3", "cm³"),
    ("mailto:", "the address alone"),
];

/// Faults of the signs of a page, and what is said to be equal to itself.
fn signs(text: &str) -> Vec<String> {
    let banned = SIGNS.iter().filter(|(banned, _)| text.contains(banned));
    let mut faults: Vec<String> = banned
        .map(|(banned, write)| format!("“{banned}”, write “{write}”"))
        .collect();
    for (at, sign) in text.match_indices(" €").chain(text.match_indices(" $")) {
        // A column of amounts is named before its sign: `Prix du bien, €`.
        if text[..at].ends_with(|letter: char| letter.is_ascii_digit()) {
            faults.push(format!("“{sign}” after a number, write a no-break space"));
        }
    }
    for (at, equals) in text.match_indices("» = «") {
        let label = |part: &str| part.trim_matches(['\u{a0}', ' ']).to_owned();
        let left = text[..at].rsplit('«').next().map(label);
        let right = text[at + equals.len()..].split('»').next().map(label);
        if left == right {
            faults.push(format!("{left:?} equal to itself"));
        }
    }
    faults
}

/// Names of parameters that a person reads, out of addresses: a field has a label.
fn names(text: &str) -> Vec<String> {
    let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let is_address = |word: &&str| word.contains(['=', '?', '/']);
    let words = text.split_whitespace().filter(|word| !is_address(word));
    let parts = words.flat_map(|word| word.split(move |letter: char| !is_of_name(letter)));
    parts
        .filter(|part| part.trim_matches('_').contains('_'))
        .map(|name| format!("“{name}”, write its label"))
        .collect()
}

/// The helps and the warnings of a page.
fn sentences(page: &str) -> impl Iterator<Item = &str> {
    let starts = ["<p class=\"help\"", "<p class=\"warning\""];
    let found = starts
        .into_iter()
        .flat_map(|start| page.split(start).skip(1));
    found.map(|after| {
        let paragraph = after.split("</p>").next().unwrap_or_default();
        paragraph
            .split_once('>')
            .map_or("", |(_, sentence)| sentence)
    })
}

/// The explanations of the steps of a page.
fn details(page: &str) -> impl Iterator<Item = &str> {
    let lists = page.split("<dl class=\"detail\">").skip(1);
    lists.filter_map(|after| after.split("</dl>").next())
}

/// Numbers with more decimals than anybody reads: `28 333,333333`.
fn long_decimals(text: &str) -> Vec<String> {
    const MOST: usize = 4;
    let ends = text.split(',').skip(1);
    let decimals = ends.map(|end| end.chars().take_while(char::is_ascii_digit).count());
    decimals
        .filter(|count| *count > MOST)
        .map(|count| format!("a number with {count} decimals, round it"))
        .collect()
}

/// The text that a person reads on a page: no code, no names of the API, no tag.
fn read(page: &str) -> String {
    let mut text = page.to_owned();
    for element in ["code", "pre", "script", "style"] {
        while let Some(start) = text.find(&format!("<{element}")) {
            let close = format!("</{element}>");
            let Some(length) = text[start..].find(&close) else {
                break;
            };
            text.replace_range(start..start + length + close.len(), "`…`");
        }
    }

    text.split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, shown)| shown))
        .collect()
}

#[test]
fn pages_are_written_as_french_is() {
    let server = Server::start();
    let mut found = Vec::new();

    for path in pages(&server) {
        let mut whole = String::new();
        eventually("the page is sent", || {
            let answer = with_steps(&server, &path);
            let is_sent = answer.status != 429;
            whole = if is_sent {
                page(&answer)
            } else {
                String::new()
            };
            is_sent
        });
        let text = read(&whole);
        let mut faults = faults(&text);
        faults.extend(signs(&text));
        for sentence in sentences(&whole) {
            faults.extend(names(&read(sentence)));
        }
        let is_calculation = path.starts_with("/simulateurs/") || path.starts_with("/questions/");
        for detail in details(&whole).filter(|_| is_calculation) {
            let text = read(detail);
            faults.extend(names(&text));
            faults.extend(long_decimals(&text));
        }
        let euros = |text: &str| {
            text.split(" EUR")
                .next()
                .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
        };
        if text.contains("\u{a0}EUR") && euros(&text.replace('\u{a0}', " ")) {
            faults.push("an amount in EUR, write €".to_owned());
        }
        found.extend(faults.into_iter().map(|fault| format!("{path}: {fault}")));
    }

    assert!(
        found.is_empty(),
        "{} faults\n{}",
        found.len(),
        found.join("\n")
    );
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The texts of messages in a source file: the literals of a line, where a comment and a test hold
/// none.
fn messages(source: &str) -> Vec<String> {
    let product = source.split("#[cfg(test)]").next().unwrap_or_default();

    // A literal that goes on in the next line is a single text: a banned word may be on both.
    let mut joined = String::new();

    for line in product.lines().map(str::trim_start) {
        match line.strip_suffix('\\') {
            Some(start) => joined.push_str(start),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }

    joined
        .lines()
        .filter(|line| !line.starts_with("//") && line.contains('"'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn messages_and_labels_are_written_as_french_is() {
    let root = repository();
    let mut found = Vec::new();
    let mut check = |path: &Path, text: &str| {
        let path = path.strip_prefix(root).unwrap().display();
        found.extend(
            faults(text)
                .into_iter()
                .map(|fault| format!("{path}: {fault} in {text}")),
        );
    };

    for folder in [
        "engine/src/text",
        "server/api/src/wire",
        "server/api/src/openapi",
        "server/src/app",
        "server/src/net",
    ] {
        for path in files(&root.join(folder), "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            // What a field is called in JSON is no word of a text.
            messages(&text).into_iter().for_each(|line| {
                check(
                    &path,
                    &line.replace("\"variante\"", "").replace("variante!:", ""),
                )
            });
        }
    }

    for path in files(&root.join("rules"), "yaml") {
        let is_method = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("method"));
        let text = std::fs::read_to_string(&path).unwrap();
        // Visitors search by the words that they know.
        let lines = text.lines().filter(|line| {
            is_method || line.starts_with("title:") || line.starts_with("citation:")
        });
        lines
            .filter(|line| !line.trim_start().starts_with('#'))
            .for_each(|line| check(&path, line));
    }

    assert!(
        found.is_empty(),
        "{} faults\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn faults_are_seen() {
    for wrong in [
        "Bulletin ou fiche de paie",
        "l'article",
        "jusqu'au 31 décembre",
        "Un appelant",
        "199 EUR par an",
    ] {
        assert!(!faults(wrong).is_empty(), "{wrong}");
    }

    assert_eq!(
        faults("Bulletin de paie, jusqu’au 31 décembre ; `'` et 'mot'"),
        Vec::<String>::new()
    );
    assert_eq!(
        names("Donner taux_at_mp ; https://a.fr/ir?net_voulu=1"),
        ["“taux_at_mp”, write its label"]
    );
    for wrong in [
        "&quot;mot&quot;",
        "« mot\u{a0}»",
        "de 1 000 cm3",
        "20 €",
        "si «\u{a0}Statut\u{a0}» = «\u{a0}Statut\u{a0}»",
    ] {
        assert_eq!(signs(wrong).len(), 1, "{wrong}");
    }
    assert_eq!(
        signs("«\u{a0}Statut\u{a0}» = «\u{a0}Salarié\u{a0}», 20\u{a0}€"),
        Vec::<String>::new()
    );
    assert_eq!(long_decimals("28 333,333333 €, 9,4500 %").len(), 1);
    assert_eq!(
        read("<p>Le <code>l'a</code> de <b>l’API</b></p>"),
        "Le `…` de l’API"
    );
}
