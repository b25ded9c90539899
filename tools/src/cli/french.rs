//! The help in French. Every command and every option has its line here: a test finds those that are
//! missing, and those that describe nothing any more.

use clap::{Arg, Command};

const ABOUT: &str = "Vérifie, teste, explique et compare les barèmes datés d'impôts et de paie";

const EXIT_CODES: &str = "Codes de sortie : 0 rien à redire ; 1 quelque chose est faux dans ce qui a été regardé (un fichier, un cas, \
                          une demande, une ligne) ; 2 la commande n'a pas pu être comprise ou exécutée.";

/// What each command does.
const COMMANDS: &[(&str, &str)] = &[
    ("check", "Vérifie les fichiers de barèmes : chaque erreur avec sa place, sa cause et son remède"),
    ("test", "Joue les cas de référence : attendu, obtenu, et les étapes qui y mènent"),
    ("explain", "Explique un calcul : la fiche de paie étape par étape, tranches, arrondis, articles et sources"),
    ("inverse", "Trouve le brut d'un net ou d'un budget : `net=2500` ou `cout=3500` à la place de `brut=…`"),
    ("batch", "Calcule des lignes en nombre : CSV ou lignes JSON en entrée, de même en sortie"),
    ("diff", "Compare deux dates d'un barème : les chiffres, puis l'effet sur ceux qui paient"),
    ("new", "Écrit le barème d'un jour à partir de celui qui précède, chaque chiffre marqué à confirmer"),
    ("status", "Dit où en est la préparation d'une année, barème par barème"),
    ("confirm", "Confirme un chiffre d'un brouillon, avec sa valeur et sa source"),
    ("doc", "Écrit une page par barème : chiffres, calcul en toutes lettres, exemple, dessin, sources"),
    ("list", "Liste les barèmes ; d'un seul, ses paramètres, sa réponse et ses dates"),
    ("schema", "Donne un schéma JSON des fichiers de barèmes, ou les écrit tous"),
    ("completions", "Donne les complétions d'un interpréteur de commandes"),
    ("man", "Donne la page de manuel"),
];

/// What each option is: command (empty: of all), name, text.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("", "rules", "Dossier des barèmes ; sans elle, trouvé à partir d'ici ou des fichiers nommés"),
    ("", "date", "Jour du calcul, AAAA-MM-JJ ; sans elle, aujourd'hui (UTC)"),
    (
        "",
        "drafts",
        "Calcule aussi avec les brouillons, les fichiers datés en préparation, comme s'ils étaient en vigueur",
    ),
    ("", "format", "Forme du résultat"),
    ("", "lang", "Langue des messages"),
    ("", "color", "Couleurs"),
    ("", "help", "Montre cette aide"),
    ("", "version", "Montre la version"),
    ("check", "paths", "Fichiers ou dossiers dont rendre compte ; tous par défaut"),
    ("check", "watch", "Vérifie à nouveau à chaque enregistrement"),
    ("check", "verbose", "Les avertissements en entier, chacun avec sa ligne et son remède"),
    ("check", "strict", "Les avertissements comptent comme des erreurs, sauf ceux qui ne tiennent qu'au jour"),
    ("test", "paths", "Dossiers de barèmes ; tous par défaut"),
    ("test", "steps", "Montre les étapes de tous les cas faux, non des premiers seulement"),
    ("test", "mutate", "Change un à un les chiffres en vigueur, et dit ceux dont aucun cas ne s'aperçoit"),
    (
        "test",
        "update",
        "Récrit les valeurs attendues qui diffèrent, après avoir montré la différence et reçu l'accord ; leurs cas deviennent `computed`",
    ),
    ("test", "yes", "Donne l'accord d'avance"),
    ("explain", "name", "Dossier du barème, comme `salaire-net/sn`"),
    ("explain", "query", "Ce qui est envoyé, comme `brut=450000 parts=2.5`"),
    ("inverse", "name", "Dossier du barème, comme `salaire-net/be`"),
    ("inverse", "query", "Ce qui est envoyé, comme `net=2500 enfants=2`"),
    (
        "batch",
        "name",
        "Dossier du barème, ou point d'accès dont les lignes choisissent le dossier, comme `salaire-net` par `pays`",
    ),
    ("batch", "errors", "Met à part dans ce fichier les lignes refusées, chacune avec son motif"),
    ("batch", "fields", "Champs de la réponse à écrire, dans cet ordre ; par défaut tous ceux d'une seule valeur"),
    ("batch", "keep", "Colonnes à recopier telles quelles, comme un matricule"),
    (
        "batch",
        "locale",
        "Écriture des nombres : `fr` pour la virgule décimale ; par défaut `fr` si le séparateur est `;`",
    ),
    ("batch", "encoding", "Encodage du texte ; par défaut, trouvé au début du fichier"),
    ("batch", "jobs", "Nombre de calculs en parallèle ; par défaut autant que de processeurs"),
    ("diff", "name", "Dossier du barème, comme `salaire-net/ci`"),
    (
        "diff",
        "dates",
        "Années ou jours des deux barèmes, l'ancien d'abord ; un seul est comparé à celui qui le précède, sans date \
         c'est le dernier",
    ),
    ("diff", "all", "Montre aussi les chiffres qui n'ont pas changé"),
    ("diff", "range", "Plage de revenus, comme `1000..8000` ; par défaut celle des cas de référence"),
    ("diff", "household", "Un ménage à regarder, comme `\"parts=2 statut=cadre\"` ; peut être répété"),
    (
        "diff",
        "field",
        "Le montant de la réponse à regarder, comme `cout_employeur` ; l'option qui le donne est alors demandée",
    ),
    ("diff", "plot", "Dessine les deux barèmes dans ce fichier SVG"),
    ("new", "name", "Dossier du barème, comme `salaire-net/ci` ; pas avec `--all`"),
    ("new", "all", "Un fichier dans chaque dossier daté qui n'en a pas de ce jour : `bareme new --all 2027-01-01`"),
    ("new", "from", "Premier jour en vigueur, AAAA-MM-JJ"),
    ("new", "index", "Propose des montants indexés, `1.1%` ; pour un seul chiffre avec son nom, `ir=1.1%`"),
    ("new", "round", "Unité des montants proposés ; par défaut celle des montants précédents"),
    ("new", "print", "Montre le fichier au lieu de l'écrire"),
    ("status", "year", "Année préparée, comme `2027` ; par défaut celle qui suit le jour du calcul"),
    ("confirm", "name", "Dossier du barème, comme `salaire-net/ci`"),
    ("confirm", "figure", "Le chiffre, comme `cnps`, `cnps.ceiling` ou `bareme[3].rate`"),
    ("confirm", "value", "Sa valeur, comme le texte la donne : `6.3%`, `1 296 000` ; sans elle, celle du brouillon"),
    ("confirm", "source", "Nom de la source qui le fixe ; sans elle, celle du brouillon"),
    ("confirm", "title", "Titre d'une source que le brouillon ne nomme pas encore : elle est ajoutée sous ce nom"),
    ("confirm", "publisher", "Qui publie cette source"),
    ("confirm", "kind", "Ce qu'est cette source : `law`, ou `administration`"),
    ("confirm", "text_date", "Date de ce texte, AAAA-MM-JJ"),
    ("confirm", "url", "Adresse de ce texte sur un site officiel"),
    ("confirm", "from", "Jour du brouillon, AAAA-MM-JJ ; par défaut le premier qui a ce chiffre à confirmer"),
    ("doc", "names", "Dossiers des barèmes ; tous par défaut, et alors avec `--out`"),
    ("doc", "out", "Écrit les pages dans ce dossier, avec leur liste"),
    (
        "list",
        "stale",
        "Seulement les barèmes en vigueur dont personne n'a relu les chiffres dans les textes depuis six mois, avec ce qui est attendu",
    ),
    ("list", "name", "Un dossier de barème, pour le voir en détail"),
    ("schema", "name", "`method`, `cases`, `service`, ou un dossier de barème pour ses fichiers datés"),
    ("schema", "write", "Écrit tous les schémas sous ce dossier"),
    ("completions", "shell", "Interpréteur de commandes"),
    ("man", "out", "Écrit dans ce dossier une page par commande"),
];

/// What stands for a value in the help.
const VALUES: &[(&str, &str)] = &[
    ("ADDRESS", "ADRESSE"),
    ("COLUMN", "COLONNE"),
    ("COUNT", "NOMBRE"),
    ("DATE", "DATE"),
    ("ENCODING", "ENCODAGE"),
    ("FIELD", "CHAMP"),
    ("FIGURE", "CHIFFRE"),
    ("FILE", "FICHIER"),
    ("FOLDER", "DOSSIER"),
    ("ID", "IDENTIFIANT"),
    ("KIND", "NATURE"),
    ("LOCALE", "LANGUE"),
    ("NAME", "NOM"),
    ("NAME=VALUE", "NOM=VALEUR"),
    ("PATH", "CHEMIN"),
    ("RANGE", "PLAGE"),
    ("RATE", "TAUX"),
    ("SHELL", "INTERPRETEUR"),
    ("TITLE", "TITRE"),
    ("UNIT", "UNITE"),
    ("YEAR", "ANNEE"),
];

/// The command line, said in French.
pub(super) fn said(command: Command) -> Command {
    command
        .about(ABOUT)
        .after_help(EXIT_CODES)
        .mut_args(|arg| option("", arg))
        .mut_subcommands(|own| {
            let name = own.get_name().to_owned();
            let about = COMMANDS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
            let own = own.about(about).mut_args(|arg| option(&name, arg));
            titled(own)
        })
        .subcommand_value_name("COMMANDE")
        .subcommand_help_heading("Commandes")
        .help_template("{about}\n\nUsage : {usage}\n\nCommandes :\n{subcommands}\n\nOptions :\n{options}{after-help}")
}

/// A command with the titles of its help in French.
fn titled(command: Command) -> Command {
    let has_arguments = command.get_positionals().next().is_some();
    let arguments = if has_arguments { "\n\nArguments :\n{positionals}" } else { "" };
    command.help_template(format!("{{about}}\n\nUsage : {{usage}}{arguments}\n\nOptions :\n{{options}}"))
}

fn option(command: &str, arg: Arg) -> Arg {
    let text = help(command, arg.get_id().as_str()).unwrap_or_default();
    let mut notes = Vec::new();
    if arg.get_action().takes_values() {
        let values = arg.get_possible_values();
        let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        if !values.is_empty() {
            notes.push(format!("[valeurs : {}]", values.join(", ")));
        }
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !default.is_empty() {
            notes.push(format!("[par défaut : {}]", default.join(", ")));
        }
    }
    if let Some(variable) = arg.get_env() {
        notes.push(format!("[variable : {}]", variable.to_string_lossy()));
    }
    let said = [text].into_iter().chain(notes.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let arg = arg.help(said);
    if !arg.get_action().takes_values() {
        return arg;
    }
    let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| french_value(name)).collect();
    let arg = arg.hide_default_value(true).hide_possible_values(true).hide_env(true);
    if names.is_empty() { arg } else { arg.value_names(names) }
}

fn help(command: &str, option: &str) -> Option<&'static str> {
    let find = |command: &str| OPTIONS.iter().find(|(of, name, _)| *of == command && *name == option);
    find(command).or_else(|| find("")).map(|(.., text)| *text)
}

fn french_value(name: &str) -> &'static str {
    VALUES.iter().find(|(english, _)| *english == name).map_or("VALEUR", |(_, french)| french)
}

#[cfg(test)]
mod tests {
    use bareme_engine::Lang;

    use super::*;

    /// Every command with the names of its own options.
    fn declared() -> Vec<(String, Vec<String>)> {
        let command = super::super::command(Lang::En);
        let options = |command: &Command| command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let mut declared = vec![(String::new(), options(&command))];
        declared.extend(command.get_subcommands().map(|own| (own.get_name().to_owned(), options(own))));
        declared
    }

    #[test]
    fn everything_is_said_in_french() {
        for (command, options) in declared() {
            assert!(command.is_empty() || COMMANDS.iter().any(|(known, _)| *known == command), "{command}");
            for option in options.iter() {
                assert!(help(&command, option).is_some(), "{command} {option}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_what_is_gone() {
        let declared = declared();
        for (command, option, _) in OPTIONS.iter() {
            let options = declared.iter().find(|(known, _)| known == command).map(|(_, options)| options);
            assert!(options.is_some_and(|options| options.iter().any(|known| known == option)), "{command} {option}");
        }
        for (command, _) in COMMANDS {
            assert!(declared.iter().any(|(known, _)| known == command), "{command}");
        }
    }
}
