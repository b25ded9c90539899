//! Names of rule files as French words, where they have no label: `soins_de_sante` is
//! `soins de santé`.

use std::collections::HashMap;
use std::sync::LazyLock;

use bareme_engine::Lang;
use bareme_engine::text::normalize;

/// The words that names write without their accents.
const ACCENTED_WORDS: &str = "
    activité âge année années ancienneté barème bénéfice catégorie chômage complément
    complémentaire comptée coordonné coût crédit crédits début décote déductible déduction
    déductions défaut degré dégressivité delà délai département départemental dépendance
    déplafonnée dernière détention deuxième dixième données durée émolument émoluments entrée
    espèces exemptée exonération expatrié fédéral formalités frère général générale immobilière
    impôt impôts indemnité indemnités intérêts intermédiaire invalidité isolé journalière légal
    légale libératoire libellé majoré majorée maternité médecine méthode métiers mobilité
    mutualité nièce numéro période plafonné plafonnée précompte prélèvement prélèvements première
    premières prévoyance privé Québec quotité réduction réductions réduit réduite référence régime
    régionale régulière rémunération représentation résidence résultat Réunion salarié santé
    sécurité sœur solidarité spécial spéciale supérieur supérieure supplément supplémentaire
    supplémentaires unité véhicule CRDS CSG IRPP MGA SMIC
";

/// The same words by their spelling in names.
static BY_PLAIN_WORD: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    ACCENTED_WORDS
        .split_whitespace()
        .map(|word| (normalize(word), word))
        .collect()
});

/// Groups of words that are spelled as one, with hyphens.
const COMPOUNDS: &[(&str, &str)] = &[
    ("a charge", "à charge"),
    ("au delà", "au-delà"),
    ("demi part", "demi-part"),
    ("mi temps", "mi-temps"),
    ("jusqu a ", "jusqu’à "),
    ("jusqu au ", "jusqu’au "),
    ("primo accédant", "primo-accédant"),
];

/// A name in words of a language. Rules are written with French names: in English what has no label
/// keeps its name, with spaces.
pub(crate) fn words(name: &str, lang: Lang) -> String {
    match lang {
        Lang::Fr => french(name),
        Lang::En => name.replace('_', " "),
    }
}

/// A name in French words.
///
/// ```
/// assert_eq!(bareme_show::names::french("soins_de_sante"), "soins de santé");
/// assert_eq!(bareme_show::names::french("au_dela_de"), "au-delà de");
/// ```
pub fn french(name: &str) -> String {
    let word = |plain| BY_PLAIN_WORD.get(plain).copied().unwrap_or(plain);

    let mut spelled = name.split('_').map(word).collect::<Vec<_>>().join(" ");
    // Some groups end with a space, so that `jusqu a` is not found in `jusqu au`: the last word
    // has one too.
    spelled.push(' ');
    for (separate, joined) in COMPOUNDS {
        spelled = spelled.replace(separate, joined);
    }

    spelled.trim_end().to_owned()
}
