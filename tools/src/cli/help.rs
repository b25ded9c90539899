//! The help of the command line in French: one row for each command and each option. In English it is the comment where
//! each is declared. A test finds what lacks one of them, and unused rows.

use bareme_engine::Lang;
use bareme_show::Text;
use clap::{Arg, Command};

const ABOUT: Text = Text::new(
    "Vérifie, teste, explique et compare les barèmes datés d’impôts et de paie",
    "Checks, tests, explains and compares dated tax and payroll scales",
);

const EXIT_CODES: Text = Text::new(
    "Codes de sortie : 0 rien à redire ; 1 quelque chose est faux dans ce qui a été regardé (un fichier, un cas, \
     une demande, une ligne) ; 2 la commande n’a pas pu être comprise ou exécutée.",
    "Exit codes: 0 nothing is wrong; 1 something is wrong in what was looked at (a rule file, a case, a \
     query, a row); 2 the command could not be understood or carried out.",
);

/// Declares the help in French of each command (empty: the whole line) and of each of its options (empty: the command
/// itself).
macro_rules! help {
    ($($command:literal $option:literal $text:literal)*) => {
        const HELP: &[(&str, &str, &str)] = &[$(($command, $option, $text)),*];
    };
}

help! {
    "" "rules" "Dossier des barèmes ; sans elle, trouvé à partir d’ici ou des fichiers nommés"
    "" "date" "Jour du calcul, AAAA-MM-JJ ; sans elle, aujourd’hui (UTC)"
    "" "drafts" "Calcule aussi avec les brouillons, les fichiers datés en préparation, comme s’ils étaient en vigueur"
    "" "format" "Forme du résultat"
    "" "lang" "Langue des messages"
    "" "color" "Couleurs"
    "" "help" "Montre cette aide"
    "" "version" "Montre la version"
    "check" "" "Vérifie les fichiers de barèmes : chaque erreur avec sa place, sa cause et son remède"
    "check" "paths" "Fichiers ou dossiers dont rendre compte ; tous par défaut"
    "check" "watch" "Vérifie à nouveau à chaque enregistrement"
    "check" "verbose" "Les avertissements en entier, chacun avec sa ligne et son remède"
    "check" "strict" "Les avertissements comptent comme des erreurs, sauf ceux qui ne tiennent qu’au jour"
    "fmt" "" "Met en page les fichiers de barèmes, sans changer une valeur ni un commentaire"
    "fmt" "paths" "Fichiers ou dossiers ; tous par défaut"
    "fmt" "check" "N’écrit rien : nomme les fichiers dont la mise en page changerait, et échoue s’il y en a"
    "test" "" "Recalcule les cas de référence : attendu, obtenu, et les étapes qui y mènent"
    "test" "paths" "Dossiers de barèmes ; tous par défaut"
    "test" "steps" "Montre les étapes de tous les cas faux, non des premiers seulement"
    "test" "mutate" "Change un à un les chiffres en vigueur, et dit ceux dont aucun cas ne s’aperçoit"
    "test" "update" "Récrit les valeurs attendues qui diffèrent, après avoir montré la différence et reçu l’accord ; leurs cas deviennent `computed`"
    "test" "yes" "Donne l’accord d’avance"
    "explain" "" "Explique un calcul : le bulletin de paie étape par étape, tranches, arrondis, articles et sources"
    "explain" "name" "Dossier du barème, comme `salaire-net/sn`"
    "explain" "query" "Ce qui est envoyé, comme `brut=450000 parts=2.5`"
    "explain" "month" "Un seul mois d’une année de paies, de 1 à 12, comme dans `bareme explain salaire/annee annee=2026 brut=2600 --month 7`"
    "inverse" "" "Trouve le brut d’un net ou d’un budget : `net=2500` ou `cout=3500` à la place de `brut=…`"
    "inverse" "name" "Dossier du barème, comme `salaire-net/be`"
    "inverse" "query" "Ce qui est envoyé, comme `net=2500 enfants=2`"
    "batch" "" "Calcule des lignes en nombre : CSV, lignes JSON, tables Parquet ou Arrow, en entrée comme en sortie"
    "batch" "name" "Dossier du barème, ou point d’accès dont les lignes choisissent le dossier, comme `salaire-net` par `pays`"
    "batch" "files" "Fichiers des lignes, ou motifs comme `'data/*.parquet'` ; `-`, ou aucun, est l’entrée standard"
    "batch" "output" "Écrit les réponses dans ce fichier ; la fin du nom dit le format : `.csv`, `.jsonl`, `.parquet`, `.arrow`, `.arrows`"
    "batch" "input_format" "Format des lignes ; par défaut celui que dit la fin du nom, ou que montre le début du texte"
    "batch" "errors" "Met à part dans ce fichier les lignes refusées, chacune avec son motif"
    "batch" "fields" "Champs de la réponse à écrire, dans cet ordre ; par défaut tous ceux d’une seule valeur"
    "batch" "keep" "Colonnes à recopier telles quelles, comme un matricule"
    "batch" "map" "Colonnes d’un autre nom que leur paramètre, comme `rni=revenu`"
    "batch" "round_floats" "Accepte les colonnes en virgule flottante d’une table, arrondies à tant de décimales"
    "batch" "locale" "Écriture des nombres : `fr` pour la virgule décimale ; par défaut `fr` si le séparateur est `;`"
    "batch" "encoding" "Encodage du texte ; par défaut, trouvé au début du fichier"
    "batch" "jobs" "Nombre de calculs en parallèle ; par défaut autant que de processeurs"
    "population" "" "Écrit un échantillon inventé de foyers ou de salariés, à calculer par `batch`"
    "population" "kind" "Les foyers de l’impôt sur le revenu, ou les salariés"
    "population" "rows" "Nombre de lignes"
    "population" "seed" "Graine du tirage : la même donne les mêmes octets"
    "population" "output" "Fichier à écrire ; la fin du nom dit le format : `.csv`, `.parquet`, `.arrow`, `.arrows` ; par défaut, du CSV sur la sortie standard"
    "diff" "" "Compare deux dates d’un barème : les chiffres, puis l’effet sur ceux qui paient"
    "diff" "name" "Dossier du barème, comme `salaire-net/ci`"
    "diff" "dates" "Années ou jours des deux barèmes, l’ancien d’abord ; un seul est comparé à celui qui le précède, sans date c’est le dernier"
    "diff" "all" "Montre aussi les chiffres qui n’ont pas changé"
    "diff" "range" "Plage de revenus, comme `1000..8000` ; par défaut celle des cas de référence"
    "diff" "household" "Un ménage à regarder, comme `\"parts=2 statut=cadre\"` ; peut être répété"
    "diff" "household_after" "Le même ménage tel que le barème le plus récent le voit, s’il diffère ; un pour chaque `--household`"
    "diff" "field" "Le montant de la réponse à regarder, comme `cout_employeur` ; l’option qui le donne est alors demandée"
    "diff" "plot" "Dessine les deux barèmes dans ce fichier SVG"
    "impact" "" "Chiffre une réforme sur un échantillon : coût, gagnants et perdants, répartition, avec les articles qui changent"
    "impact" "name" "Dossier du barème, comme `ir`"
    "impact" "file" "Fichier de l’échantillon, une ligne par foyer ou salarié : Parquet, Arrow, CSV"
    "impact" "before" "Année ou jour du barème d’avant ; sans elle, le barème qui précède celui d’après"
    "impact" "after" "Année ou jour du barème d’après (`--drafts` pour un brouillon)"
    "impact" "rules_after" "Dossier d’autres barèmes, qui valent après la réforme"
    "impact" "field" "Le montant de la réponse dont l’écart est chiffré ; par défaut celui du dossier"
    "impact" "gain" "Gagner, c’est avoir plus (`more`) ou moins (`less`) de ce montant ; par défaut plus d’un net, moins d’un prélèvement"
    "impact" "weight" "Colonne du poids de chaque ligne ; sans elle, chacune compte pour une"
    "impact" "by" "Colonne par laquelle répartir l’effet, ou `decile:colonne` (aussi quartile, quintile, centile) ; peut être répété"
    "impact" "poverty" "Seuil de pauvreté : un montant, ou une part du revenu médian d’avant comme `60%`"
    "impact" "map" "Colonne qui porte un autre nom que son paramètre, comme `rni=revenu` ; peut être répété"
    "impact" "map_after" "La même chose pour le barème d’après seulement"
    "impact" "round_floats" "Accepte les colonnes en virgule flottante, arrondies à ce nombre de décimales"
    "impact" "figure" "Fait varier un chiffre du barème d’après, comme `bareme[1].up_to=11 600..12 000:50` : le coût pour chaque valeur"
    "new" "" "Écrit le barème d’un jour à partir de celui qui précède, chaque chiffre marqué à confirmer"
    "new" "name" "Dossier du barème, comme `salaire-net/ci` ; pas avec `--all`"
    "new" "from" "Premier jour en vigueur, AAAA-MM-JJ"
    "new" "all" "Un fichier dans chaque dossier daté qui n’en a pas de ce jour : `bareme new --all 2027-01-01`"
    "new" "index" "Déplace ce qui suit un indice, de `1.1%` ; pour un seul chiffre avec son nom, `bareme=1.1%`, avec `--all` pour un dossier, `ir=1.1%`"
    "new" "round" "Unité des montants déplacés ; par défaut celle des montants précédents"
    "new" "carry" "Ce qui sera confirmé dans ce fichier s’écrit aussi dans les suivants, là où ils ont la valeur précédente"
    "new" "print" "Montre le fichier au lieu de l’écrire"
    "status" "" "Dit où en est la préparation d’une année, barème par barème"
    "status" "year" "Année préparée, comme `2027` ; par défaut celle qui suit le jour du calcul"
    "confirm" "" "Confirme les chiffres d’un brouillon à mesure qu’ils sont lus, avec leur valeur et leur source"
    "confirm" "name" "Dossier du barème, comme `salaire-net/ci`"
    "confirm" "figure" "Le chiffre, comme `cnps.ceiling` ou `bareme[3].rate` ; sans lui, chacun de ceux qui restent est demandé à son tour"
    "confirm" "value" "Sa valeur, comme le texte la donne : `6.3%`, `1 296 000` ; inutile là où elle reste ce qu’elle était"
    "confirm" "source" "Noms des sources qui le fixent, séparés par `;`"
    "confirm" "unchanged" "La valeur reste sans qu’un texte nouveau le dise : « inchangé, toujours en vigueur » est gardé dans le fichier"
    "confirm" "because" "Ce qui fait que la valeur tient sans texte nouveau ; gardé dans le fichier"
    "confirm" "whole" "Toutes les valeurs du chiffre ou de la ligne d’un coup, exprès"
    "confirm" "rows" "Plusieurs, d’un fichier CSV : les lignes de la table, ou une ligne par valeur comme `--sheet` les écrit"
    "confirm" "sheet" "Écrit en CSV ce qui reste à confirmer, à remplir puis à donner à `--rows`"
    "confirm" "carry" "Écrit aussi le changement dans les fichiers suivants où la valeur précédente tient encore"
    "confirm" "title" "Titre d’une source que le brouillon ne nomme pas encore : elle est ajoutée sous ce nom"
    "confirm" "publisher" "Qui publie cette source"
    "confirm" "kind" "Ce qu’est cette source : `law`, ou `administration`"
    "confirm" "text_date" "Date de ce texte, AAAA-MM-JJ"
    "confirm" "url" "Adresse de ce texte sur un site officiel"
    "confirm" "from" "Jour du fichier daté, AAAA-MM-JJ ; par défaut le premier brouillon qui a ce chiffre à confirmer"
    "doc" "" "Écrit une page par barème : chiffres, calcul en toutes lettres, exemple, graphique, sources"
    "doc" "names" "Dossiers des barèmes ; tous par défaut, et alors avec `--out`"
    "doc" "out" "Écrit les pages dans ce dossier, avec leur liste"
    "list" "" "Liste les barèmes ; d’un seul, ses paramètres, sa réponse et ses dates"
    "list" "stale" "Seulement les barèmes en vigueur dont personne n’a relu les chiffres dans les textes depuis six mois, avec ce qui est attendu"
    "list" "name" "Un dossier de barème, pour le voir en détail"
    "mcp" "" "Donne les calculs et les chiffres aux assistants, par le protocole MCP sur l’entrée et la sortie standard"
    "schema" "" "Donne un schéma JSON des fichiers de barèmes, ou les écrit tous"
    "schema" "name" "`method`, `cases`, `service`, ou un dossier de barème pour ses fichiers datés"
    "schema" "write" "Écrit tous les schémas sous ce dossier"
    "lsp" "" "Sert un éditeur de texte : diagnostics, explications, complétion, renommage des fichiers de barèmes"
    "lsp" "stdio" "Ajouté par certains éditeurs ; le serveur parle toujours sur l’entrée et la sortie standard"
    "completions" "" "Donne les complétions d’un interpréteur de commandes"
    "completions" "shell" "Interpréteur de commandes"
    "man" "" "Donne la page de manuel"
    "man" "out" "Écrit dans ce dossier une page par commande"
}

/// Names of values in the help.
const VALUES: &[Text] = &[
    Text::new("ADRESSE", "ADDRESS"),
    Text::new("MONTANT", "AMOUNT"),
    Text::new("COLONNE", "COLUMN"),
    Text::new("NOMBRE", "COUNT"),
    Text::new("DATE", "DATE"),
    Text::new("ENCODAGE", "ENCODING"),
    Text::new("COLONNE=PARAMETRE", "COLUMN=PARAMETER"),
    Text::new("CHAMP", "FIELD"),
    Text::new("CHIFFRE", "FIGURE"),
    Text::new("CHIFFRE=PLAGE", "FIGURE=RANGE"),
    Text::new("FICHIER", "FILE"),
    Text::new("DOSSIER", "FOLDER"),
    Text::new("FORMAT", "FORMAT"),
    Text::new("IDENTIFIANT", "ID"),
    Text::new("NATURE", "KIND"),
    Text::new("LANGUE", "LOCALE"),
    Text::new("NOM", "NAME"),
    Text::new("NOM=VALEUR", "NAME=VALUE"),
    Text::new("MOIS", "MONTH"),
    Text::new("MOTS", "WORDS"),
    Text::new("CHEMIN", "PATH"),
    Text::new("PLAGE", "RANGE"),
    Text::new("TAUX", "RATE"),
    Text::new("INTERPRETEUR", "SHELL"),
    Text::new("TITRE", "TITLE"),
    Text::new("UNITE", "UNIT"),
    Text::new("VALEUR", "VALUE"),
    Text::new("SENS", "WAY"),
    Text::new("ANNEE", "YEAR"),
];

/// A command line with its help in a language.
pub(super) fn described(command: Command, lang: Lang) -> Command {
    let command = command.about(ABOUT.in_lang(lang)).after_help(EXIT_CODES.in_lang(lang));
    if lang == Lang::En { command } else { in_french(command) }
}

/// Translates a command line, and the headings of its help, which clap has in English only.
fn in_french(command: Command) -> Command {
    command
        .mut_args(|arg| translated("", arg))
        .mut_subcommands(|own| {
            let name = own.get_name().to_owned();
            let has_arguments = own.get_positionals().next().is_some();
            let arguments = if has_arguments { "\n\nArguments :\n{positionals}" } else { "" };
            own.about(help(&name, ""))
                .mut_args(|arg| translated(&name, arg))
                .help_template(format!("{{about}}\n\nUsage : {{usage}}{arguments}\n\nOptions :\n{{options}}"))
        })
        .subcommand_value_name("COMMANDE")
        .subcommand_help_heading("Commandes")
        .help_template("{about}\n\nUsage : {usage}\n\nCommandes :\n{subcommands}\n\nOptions :\n{options}{after-help}")
}

/// Translates the help, the notes and the value names of an option, since clap has the notes in English only.
fn translated(command: &str, arg: Arg) -> Arg {
    let mut said = help(command, arg.get_id().as_str()).to_owned();
    let takes_values = arg.get_action().takes_values();
    let values = arg.get_possible_values();
    let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    if takes_values && !values.is_empty() {
        said.push_str(&format!(" [valeurs : {}]", values.join(", ")));
    }
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_values && !default.is_empty() {
        said.push_str(&format!(" [par défaut : {}]", default.join(", ")));
    }
    if let Some(variable) = arg.get_env() {
        said.push_str(&format!(" [variable : {}]", variable.to_string_lossy()));
    }
    let arg = arg.help(said);
    if !takes_values {
        return arg;
    }
    let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| french_value(name)).collect();
    let arg = arg.hide_default_value(true).hide_possible_values(true).hide_env(true);
    if names.is_empty() { arg } else { arg.value_names(names) }
}

fn help(command: &str, option: &str) -> &'static str {
    let find = |command: &str| HELP.iter().find(|(of, name, _)| *of == command && *name == option);
    find(command).or_else(|| find("")).map_or("", |(.., text)| *text)
}

fn french_value(name: &str) -> &'static str {
    VALUES.iter().find(|value| value.en == name).map_or("VALEUR", |value| value.fr)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command, the whole line without a name, with the names of its own options and their help in English; the
    /// empty name is the command itself.
    fn declared() -> Vec<(String, Vec<(String, bool)>)> {
        let command = super::super::command(Lang::En);
        let options = |command: &Command| {
            let own = command.get_arguments().map(|arg| (arg.get_id().to_string(), arg.get_help().is_some()));
            std::iter::once((String::new(), command.get_about().is_some())).chain(own).collect()
        };
        let mut declared = vec![(String::new(), options(&command))];
        declared.extend(command.get_subcommands().map(|own| (own.get_name().to_owned(), options(own))));
        declared
    }

    #[test]
    fn everything_is_described_in_every_language() {
        for (command, options) in declared() {
            for (option, is_in_english) in options {
                let is_whole = command.is_empty() && option.is_empty();
                assert!(is_in_english && (is_whole || !help(&command, &option).is_empty()), "{command} {option}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_what_is_gone() {
        let declared = declared();
        for (command, option, _) in HELP {
            let options = declared.iter().find(|(known, _)| known == command).map(|(_, options)| options);
            assert!(
                options.is_some_and(|options| options.iter().any(|(known, _)| known == option)),
                "{command} {option}"
            );
        }
    }

    #[test]
    fn every_value_has_its_name_in_french() {
        let command = super::super::command(Lang::En);
        for arg in
            command.get_subcommands().flat_map(Command::get_arguments).filter(|arg| arg.get_action().takes_values())
        {
            for name in arg.get_value_names().unwrap_or_default() {
                assert!(VALUES.iter().any(|value| value.en == name.as_str()), "{name}");
            }
        }
    }
}
