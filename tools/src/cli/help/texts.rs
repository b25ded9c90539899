//! The texts of the help: one row for each command and each option, in every language.

use bareme_show::Text;

pub(super) const EXIT_CODES: Text = Text::new(
    "Codes de sortie : 0 rien à redire ; 1 quelque chose est faux dans ce qui a été regardé (un \
     fichier, un cas, une demande, une ligne) ; 2 la commande n’a pas pu être comprise ou \
     exécutée.",
    "Exit codes: 0 nothing is wrong; 1 something is wrong in what was looked at (a rule file, a \
     case, a query, a row); 2 the command could not be understood or carried out.",
);

/// Declares the help of each command (empty: the whole line) and of each of its options (empty: the
/// command itself).
macro_rules! help {
    ($($command:literal $option:literal fr $fr:literal en $en:literal)*) => {
        pub(super) const HELP: &[(&str, &str, Text)] = &[
            $(($command, $option, Text::new($fr, $en))),*
        ];
    };
}

help! {
    // The command line itself: its options hold for every command, since clap has them as global.
    "" "" fr "Vérifie, teste, explique et compare les barèmes datés d’impôts et de paie"
        en "Checks, tests, explains and compares dated tax and payroll scales"
    "" "rules" fr "Dossier des barèmes ; sans elle, trouvé à partir d’ici ou des fichiers nommés"
        en "Folder of the rules; found from here or from the named files if absent"
    "" "date" fr "Jour du calcul, AAAA-MM-JJ ; sans elle, aujourd’hui (UTC)"
        en "Day of the calculation, YYYY-MM-DD; today (UTC) if absent"
    "" "drafts" fr "Calcule aussi avec les brouillons, les fichiers datés en préparation, comme \
        s’ils étaient en vigueur"
        en "Compute with drafts too, the dated files that are prepared, as if they were in force"
    "" "format" fr "Forme du résultat"
        en "How the result is written"
    "" "lang" fr "Langue des messages"
        en "Language of the messages"
    "" "color" fr "Couleurs"
        en "Colours"
    "" "help" fr "Montre cette aide"
        en "Print this help"
    "" "version" fr "Montre la version"
        en "Print the version"

    "check" "" fr "Vérifie les fichiers de barèmes : chaque erreur avec sa place, sa cause et son \
        remède"
        en "Check rule files: every mistake with its place, its cause and its cure"
    "check" "paths" fr "Fichiers ou dossiers dont rendre compte ; tous par défaut"
        en "Files or folders to report on; all if none"
    "check" "watch" fr "Vérifie à nouveau à chaque enregistrement"
        en "Check again at each save"
    "check" "verbose" fr "Les avertissements en entier, chacun avec sa ligne et son remède"
        en "Warnings in full, each with its line and its cure"
    "check" "strict" fr "Les avertissements comptent comme des erreurs, sauf ceux qui ne tiennent \
        qu’au jour"
        en "Warnings count as mistakes, but for those that only remind of the day"

    "code" "" fr "Explique le code d’un message, avec un exemple avant et après ; sans code, les \
        liste tous"
        en "Explain the code of a message, with an example before and after; list them all if none"
    "code" "code" fr "Le code, comme `W47`"
        en "The code, like `W47`"

    "fmt" "" fr "Met en page les fichiers de barèmes, sans changer une valeur ni un commentaire"
        en "Lay rule files out, without changing a value or a comment"
    "fmt" "paths" fr "Fichiers ou dossiers ; tous par défaut"
        en "Files or folders; all if none"
    "fmt" "check" fr "N’écrit rien : nomme les fichiers dont la mise en page changerait, et \
        échoue s’il y en a"
        en "Write nothing: name the files whose layout would change, and fail if there are any"

    "test" "" fr "Recalcule les cas de référence : attendu, obtenu, et les étapes qui y mènent"
        en "Run the worked cases: what was expected, what came out, and the steps that led there"
    "test" "paths" fr "Dossiers de barèmes ; tous par défaut"
        en "Folders of rules; all if none"
    "test" "steps" fr "Montre les étapes de tous les cas faux, non des premiers seulement"
        en "Show the steps of every failing case, not only of the first ones"
    "test" "mutate" fr "Change un à un les chiffres en vigueur, et dit ceux dont aucun cas ne \
        s’aperçoit"
        en "Change the figures in force one by one, and report those that no case notices"
    "test" "update" fr "Récrit les valeurs attendues qui diffèrent, après avoir montré la \
        différence et reçu l’accord ; leurs cas deviennent `computed`"
        en "Rewrite the expected values that differ, once the difference is shown and approved; \
            their cases become `computed`"
    "test" "yes" fr "Donne l’accord d’avance"
        en "Approve the rewriting beforehand"

    "explain" "" fr "Explique un calcul : le bulletin de paie étape par étape, tranches, \
        arrondis, articles et sources"
        en "Explain a calculation: the payslip step by step, with bands, roundings, articles and \
            sources"
    "explain" "name" fr "Dossier du barème, comme `salaire-net/sn`"
        en "Folder of rules, like `salaire-net/sn`"
    "explain" "query" fr "Ce qui est envoyé, comme `brut=450000 parts=2.5`"
        en "What is sent, like `brut=450000 parts=2.5`"
    "explain" "month" fr "Un seul mois d’une année de paies, de 1 à 12, comme dans `bareme \
        explain salaire/annee annee=2026 brut=2600 --month 7`"
        en "A single month of a year of pays, 1 to 12, as in `bareme explain salaire/annee \
            annee=2026 brut=2600 --month 7`"

    "inverse" "" fr "Trouve le brut d’un net ou d’un budget : `net=2500` ou `cout=3500` à la \
        place de `brut=…`"
        en "Find the gross of a net or of a budget: `net=2500` or `cout=3500` instead of `brut=…`"
    "inverse" "name" fr "Dossier du barème, comme `salaire-net/be`"
        en "Folder of rules, like `salaire-net/be`"
    "inverse" "query" fr "Ce qui est envoyé, comme `net=2500 enfants=2`"
        en "What is sent, like `net=2500 enfants=2`"

    "batch" "" fr "Calcule des lignes en nombre : CSV, lignes JSON, tables Parquet ou Arrow, en \
        entrée comme en sortie ; classeurs Excel en entrée"
        en "Compute many rows: CSV, JSON Lines, Parquet or Arrow tables, in and out; Excel \
            workbooks in"
    "batch" "name" fr "Dossier du barème, ou point d’accès dont les lignes choisissent le \
        dossier, comme `salaire-net` par `pays`"
        en "Folder of rules, or an endpoint whose rows choose the folder, like `salaire-net` by \
            `pays`"
    "batch" "files" fr "Fichiers des lignes, ou motifs comme `'data/*.parquet'` ; d’un classeur \
        (`.xlsx`), la première feuille, dont la première ligne nomme les colonnes ; `-`, ou aucun, \
        est l’entrée standard"
        en "Files of the rows, or patterns like `'data/*.parquet'`; of a workbook (`.xlsx`) the \
            first sheet, whose first row names the columns; `-`, or none, is the standard input"
    "batch" "output" fr "Écrit les réponses dans ce fichier ; la fin du nom dit le format : \
        {row_endings}"
        en "Write the answers to this file; the ending of its name says the format: {row_endings}"
    "batch" "input_format" fr "Format des lignes ; par défaut celui que dit la fin du nom, ou que \
        montre le début du texte"
        en "Format of the rows; that of the ending of the name, or which the beginning of the \
            text shows, if absent"
    "batch" "errors" fr "Met à part dans ce fichier les lignes refusées, chacune avec son motif"
        en "Keep the refused rows in this file, each with its reason"
    "batch" "fields" fr "Champs de la réponse à écrire, dans cet ordre ; par défaut tous ceux \
        d’une seule valeur"
        en "Fields of the answer to write, in this order; all those of one value if absent"
    "batch" "keep" fr "Colonnes à recopier telles quelles, comme un matricule"
        en "Columns to copy as they are, like an employee's number"
    "batch" "map" fr "Colonnes d’un autre nom que leur paramètre, comme `rni=revenu`"
        en "Columns of another name than their parameter, like `rni=revenu`"
    "batch" "round_floats" fr "Accepte les colonnes en virgule flottante d’une table, arrondies à \
        tant de décimales"
        en "Accept the binary floats of a table, rounded to so many decimals"
    "batch" "locale" fr "Écriture des nombres : `fr` pour la virgule décimale ; par défaut `fr` \
        si le séparateur est `;`"
        en "Signs of the numbers: `fr` for decimal commas; that of the separator if absent, `fr` \
            for `;`"
    "batch" "encoding" fr "Encodage du texte ; par défaut, trouvé au début du fichier"
        en "Encoding of the letters; found at the beginning of the file if absent"
    "batch" "raw" fr "Laisse tels quels, en CSV, les textes qu’un tableur prendrait pour des formules"
        en "Leave the texts that a spreadsheet would take for formulas as they are in CSV"
    "batch" "jobs" fr "Nombre de calculs en parallèle ; par défaut autant que de processeurs"
        en "Threads that compute; as many as processors if absent"
    "batch" "archive" fr "Dossier des barèmes que le service a gardés, écrit par `bareme-server \
        rules export` : le droit y est pris, à la place de `--rules`"
        en "Folder of the rules that the service has kept, written by `bareme-server rules export`: \
            the law is taken from there, in place of `--rules`"
    "batch" "version" fr "Version du droit, telle qu’une réponse l’a donnée : une ligne qu’un autre \
        droit calculerait est refusée"
        en "Version of the law, as an answer gave it: a row that another law would compute is \
            refused"
    "batch" "known_on" fr "Calcule par les barèmes de l’archive tels qu’ils étaient en service à la \
        fin de ce jour (UTC)"
        en "Compute by the rules of the archive as they were in service at the end of that day (UTC)"

    "population" "" fr "Écrit un échantillon inventé de foyers ou de salariés, à calculer par \
        `batch`"
        en "Write a made-up sample of households or employees, for `batch` to compute"
    "population" "kind" fr "Les foyers et ce qu’ils déclarent, ceux de l’impôt sur le revenu, ou \
        les salariés"
        en "Households and what they declare, those of the income tax, or employees"
    "population" "rows" fr "Nombre de lignes"
        en "Number of rows"
    "population" "seed" fr "Graine du tirage : la même donne les mêmes octets"
        en "Seed of the draw: the same gives the same bytes"
    "population" "output" fr "Fichier à écrire ; la fin du nom dit le format : \
        {sample_endings} ; par défaut, du CSV sur la sortie standard"
        en "File to write; the ending of its name says the format: {sample_endings}; \
            CSV on the standard output if absent"

    "diff" "" fr "Compare deux dates d’un barème : les chiffres, puis l’effet sur ceux qui paient"
        en "Compare two editions of a scale: the figures, then the effect on those who pay"
    "diff" "name" fr "Dossier du barème, comme `salaire-net/ci`"
        en "Folder of rules, like `salaire-net/ci`"
    "diff" "dates" fr "Années ou jours des deux barèmes, l’ancien d’abord ; un seul est comparé à \
        celui qui le précède, sans date c’est le dernier"
        en "Years or days of the two editions, the older first; one alone is compared with the \
            one before it, and none is the last"
    "diff" "all" fr "Montre aussi les chiffres qui n’ont pas changé"
        en "Show the figures that did not change too"
    "diff" "range" fr "Plage de revenus, comme `1000..8000` ; par défaut celle des cas de référence"
        en "Range of incomes, like `1000..8000`; that of the worked cases if absent"
    "diff" "household" fr "Un ménage à regarder, comme `\"parts=2 statut=cadre\"` ; peut être \
        répété"
        en "A household to look at, like `\"parts=2 statut=cadre\"`; may be repeated"
    "diff" "household_after" fr "Le même ménage tel que le barème le plus récent le voit, s’il \
        diffère ; un pour chaque `--household`"
        en "The same household as the later edition sees it, where it differs; one for each \
            `--household`"
    "diff" "field" fr "Le montant de la réponse à regarder, comme `cout_employeur` ; l’option qui \
        le donne est alors demandée"
        en "The amount of the answer that is looked at, like `cout_employeur`: an option that has \
            it is switched on"
    "diff" "plot" fr "Dessine les deux barèmes dans ce fichier SVG"
        en "Draw both editions to this SVG file"
    "diff" "with_callers" fr "Ajoute l’effet sur les dossiers qui calculent celui-ci ou reprennent \
        ses chiffres : leurs cas de référence, avec les deux barèmes"
        en "Add the effect on the folders that calculate this one or take its figures: their \
            worked cases, with both scales"

    "impact" "" fr "Chiffre une réforme sur un échantillon : coût, gagnants et perdants, \
        répartition, avec les articles qui changent"
        en "Cost a reform over a sample: total, winners and losers, distribution, with the \
            articles that change"
    "impact" "name" fr "Dossier du barème, comme `ir`"
        en "Folder of the scale, like `ir`"
    "impact" "file" fr "Fichier de l’échantillon, une ligne par foyer ou salarié : Parquet, \
        Arrow, CSV"
        en "File of the sample, a row for each household or employee: Parquet, Arrow, CSV"
    "impact" "before" fr "Année ou jour du barème d’avant ; sans elle, le barème qui précède \
        celui d’après"
        en "Year or day of the scale before; the one that comes before that of `--after` if absent"
    "impact" "after" fr "Année ou jour du barème d’après (`--drafts` pour un brouillon)"
        en "Year or day of the scale after (`--drafts` for a draft)"
    "impact" "rules_after" fr "Dossier d’autres barèmes, qui valent après la réforme"
        en "Folder of other rules, which hold after the reform"
    "impact" "set" fr "Change un chiffre du barème d’après, comme `bareme[1].rate=12%` ; peut être \
        répété"
        en "Set a figure of the scale after, like `bareme[1].rate=12%`; may be repeated"
    "impact" "field" fr "Le montant de la réponse dont l’écart est chiffré ; par défaut celui du \
        dossier"
        en "The amount of the answer whose change is costed; that of the folder if absent"
    "impact" "gain" fr "Gagner, c’est avoir plus (`more`) ou moins (`less`) de ce montant ; par \
        défaut plus d’un net, moins d’un prélèvement"
        en "To gain is to have more or less of that amount; more of a net and less of a levy if \
            absent"
    "impact" "weight" fr "Colonne du poids de chaque ligne ; sans elle, chacune compte pour une"
        en "Column of the weight of each row; each counts for one if absent"
    "impact" "by" fr "Colonne par laquelle répartir l’effet, ou `decile:colonne` (aussi quartile, \
        quintile, centile) ; peut être répété"
        en "Column by which the effect is split, or `decile:column` (also quartile, quintile, \
            centile); may be repeated"
    "impact" "poverty" fr "Seuil de pauvreté : un montant, ou une part du revenu médian d’avant \
        comme `60%`"
        en "Poverty line: an amount, or a share of the median income before like `60%`"
    "impact" "unit" fr "Colonne des unités de consommation, qui divisent ce qui reste d’un revenu \
        pour l’indice de Gini et la pauvreté"
        en "Column of the consumption units, which divide what is left of an income for the Gini \
            coefficient and poverty"
    "impact" "income" fr "Colonne du revenu auquel les gains sont rapportés"
        en "Column of the income that gains are a share of"
    "impact" "replicates" fr "Début du nom des poids répliqués, comme `poids_` : erreurs types"
        en "Prefix of the replicate weights, like `poids_`: standard errors"
    "impact" "replicate_scale" fr "Facteur de la somme des carrés (par défaut un sur leur nombre)"
        en "Factor of the sum of squares (one over their number if absent)"
    "impact" "bootstrap" fr "Nombre de tirages des lignes avec remise, pour les erreurs types"
        en "Number of draws of the rows with replacement, for standard errors"
    "impact" "seed" fr "Graine des tirages ; 1 par défaut" en "Seed of the draws; 1 if absent"
    "impact" "totals_in" fr "Unité des totaux de la page" en "Unit of the totals in the page"
    "impact" "map" fr "Colonne qui porte un autre nom que son paramètre, comme `rni=revenu` ; \
        peut être répété"
        en "Column whose name is not that of its parameter, like `rni=revenu`; may be repeated"
    "impact" "map_after" fr "La même chose pour le barème d’après seulement"
        en "The same for the scale after only"
    "impact" "round_floats" fr "Accepte les colonnes en virgule flottante, arrondies à ce nombre \
        de décimales"
        en "Accept columns of binary floats, rounded to so many decimals"
    "impact" "figure" fr "Fait varier un chiffre du barème d’après, comme `bareme[1].up_to=11 \
        600..12 000:50` : le coût pour chaque valeur ; deux fois : une grille"
        en "Vary a figure of the scale after, like `bareme[1].up_to=11 600..12 000:50`: the cost \
            at each value; twice: a grid"

    "new" "" fr "Écrit le barème d’un jour à partir de celui qui précède, chaque chiffre marqué à \
        confirmer"
        en "Write the dated file of a day from the one before, every figure marked to be confirmed"
    "new" "name" fr "Dossier du barème, comme `salaire-net/ci` ; pas avec `--all`"
        en "Folder of rules, like `salaire-net/ci`; not with `--all`"
    "new" "from" fr "Premier jour en vigueur, AAAA-MM-JJ"
        en "First day in force, YYYY-MM-DD"
    "new" "all" fr "Un fichier dans chaque dossier daté qui n’en a pas de ce jour : `bareme new \
        --all 2027-01-01`"
        en "One file in each dated folder that has none of that day: `bareme new --all 2027-01-01`"
    "new" "index" fr "Déplace ce qui suit un indice, de `1.1%` ; pour un seul chiffre avec son \
        nom, `bareme=1.1%`, avec `--all` pour un dossier, `ir=1.1%`"
        en "Move what follows an index by a rate, `1.1%`; of one figure only with its name, \
            `bareme=1.1%`, with `--all` of one folder, `ir=1.1%`"
    "new" "round" fr "Unité des montants déplacés ; par défaut celle des montants précédents"
        en "Unit of the moved amounts; that of the amounts so far if absent"
    "new" "carry" fr "Ce qui sera confirmé dans ce fichier s’écrit aussi dans les suivants, là où \
        ils ont la valeur précédente"
        en "Write what is confirmed in this file into the later ones too, where they have the \
            value before"
    "new" "print" fr "Montre le fichier au lieu de l’écrire"
        en "Print the file instead of writing it"

    "status" "" fr "Dit où en est la préparation d’une année, barème par barème"
        en "Tell how far the preparation of a year is, folder by folder"
    "status" "year" fr "Année préparée, comme `2027` ; par défaut celle qui suit le jour du calcul"
        en "The year that is prepared, like `2027`; the one after the day of the calculation if \
            absent"
    "status" "verbose" fr "Un tableau des fichiers de l’année : chiffres à confirmer, cas, fautes, textes \
        attendus"
        en "A table of the files of the year: figures to confirm, cases, mistakes, awaited texts"

    "confirm" "" fr "Confirme les chiffres d’un brouillon à mesure qu’ils sont lus, avec leur \
        valeur et leur source"
        en "Confirm figures of a draft as they are read, with their values and sources"
    "confirm" "name" fr "Dossier du barème, comme `salaire-net/ci` ; avec `--sheet` et `--rows` une \
        famille aussi, comme `salaire-net`, ou aucun pour tous"
        en "Folder of rules, like `salaire-net/ci`; with `--sheet` and `--rows` a family too, like \
            `salaire-net`, or none for all"
    "confirm" "figure" fr "Le chiffre, comme `cnps.ceiling` ou `bareme[3].rate` ; sans lui, \
        chacun de ceux qui restent est demandé à son tour"
        en "The figure, like `cnps.ceiling` or `bareme[3].rate`; without it each that is left is \
            asked for in turn"
    "confirm" "value" fr "Sa valeur, comme le texte la donne : `6.3%`, `1 296 000` ; inutile là \
        où elle reste ce qu’elle était"
        en "Its value, as the text gives it: `6.3%`, `1 296 000`; not needed where it stays as it \
            was"
    "confirm" "source" fr "Noms des sources qui le fixent, séparés par `;`"
        en "Ids of the sources that set it, separated by `;`"
    "confirm" "unchanged" fr "La valeur reste sans qu’un texte nouveau le dise : « inchangé, \
        toujours en vigueur » est gardé dans le fichier"
        en "The value stays though no new text says so: `unchanged, still in force` is kept in \
            the file"
    "confirm" "because" fr "Ce qui fait que la valeur tient sans texte nouveau ; gardé dans le \
        fichier"
        en "Why the value holds though no new text sets it; kept in the file"
    "confirm" "whole" fr "Toutes les valeurs du chiffre ou de la ligne d’un coup, exprès"
        en "Every cell of the figure or of the row at once, on purpose"
    "confirm" "rows" fr "Plusieurs, d’un fichier CSV ou Excel (`.xlsx`) : les lignes de la table, ou \
        une ligne par valeur comme `--sheet` les écrit"
        en "Several from a CSV or Excel file (`.xlsx`): the rows of the table, or a line a figure as \
            `--sheet` writes them"
    "confirm" "sheet" fr "Écrit ce qui reste à confirmer, à remplir puis à donner à `--rows` ; sans \
        dossier, une feuille pour tous les brouillons"
        en "Write what is left to confirm, to be filled in and given to `--rows`; without a folder, \
            one sheet for all drafts"
    "confirm" "output" fr "Écrit la feuille dans ce fichier ; la fin du nom dit le format : `.xlsx`, \
        `.csv`"
        en "Write the sheet to this file; the ending of its name says the format: `.xlsx`, `.csv`"
    "confirm" "carry" fr "Écrit aussi le changement dans les fichiers suivants où la valeur \
        précédente tient encore"
        en "Write the change into the later files where the value before is still written"
    "confirm" "title" fr "Titre d’une source que le brouillon ne nomme pas encore : elle est \
        ajoutée sous ce nom"
        en "Title of a source that the draft does not name yet: it is added under that id"
    "confirm" "publisher" fr "Qui publie cette source"
        en "Who publishes that source"
    "confirm" "kind" fr "Ce qu’est cette source : `law`, ou `administration`"
        en "What that source is: `law`, or `administration`"
    "confirm" "published" fr "Parution de ce texte au journal officiel : numéro, date, page"
        en "Publication of that text in the gazette: number, date, page"
    "confirm" "text_date" fr "Date de ce texte, AAAA-MM-JJ"
        en "Date of that text, YYYY-MM-DD"
    "confirm" "url" fr "Adresse de ce texte sur un site officiel"
        en "Address of that text on an official site"
    "confirm" "from" fr "Jour du fichier daté, AAAA-MM-JJ ; par défaut le premier brouillon qui a \
        ce chiffre à confirmer"
        en "Day of the dated file, YYYY-MM-DD; the first draft that has the figure to confirm if \
            absent"

    "renew" "" fr "Écrit qu’un barème tient plus longtemps : les textes de l’année sont lus, et n’y \
        changent rien"
        en "Write that a scale holds longer: the texts of the year were read, and change nothing in \
            it"
    "renew" "names" fr "Dossiers des barèmes, comme `ifi succession`"
        en "Folders of rules, like `ifi succession`"
    "renew" "until" fr "Dernier jour désormais vérifié, AAAA-MM-JJ"
        en "Last day that is checked from now on, YYYY-MM-DD"
    "renew" "source" fr "Noms des textes lus, séparés par `;` : des sources du fichier, ou celle \
        que `--title` décrit"
        en "Ids of the texts that were read, separated by `;`: sources of the file, or the one that \
            `--title` describes"
    "renew" "because" fr "Pourquoi un texte antérieur vaut pour les jours à venir ; gardé dans le \
        fichier"
        en "Why an older text holds for the days to come; kept in the file"
    "renew" "answered" fr "Quelques mots d’un texte attendu (`watch`) qui est paru et ne change \
        rien : il en est ôté ; peut être répété"
        en "Some words of an awaited text (`watch`) that is out and changes nothing: it is taken \
            off; may be repeated"
    "renew" "cases" fr "Déplace après le nouveau dernier jour les cas qui attendent \
        l’avertissement d’un jour non vérifié"
        en "Move the cases that expect the warning of a day that is not checked beyond the new last \
            day"
    "renew" "from" fr "Premier jour du fichier à renouveler, AAAA-MM-JJ ; par défaut le dernier en \
        vigueur"
        en "First day of the file to renew, YYYY-MM-DD; the last one in force if absent"
    "renew" "print" fr "Montre ce qui serait écrit, sans l’écrire"
        en "Print what would be written, without writing it"
    "renew" "title" fr "Titre d’un texte que le fichier ne nomme pas encore : il est ajouté à ses \
        sources"
        en "Title of a text that the file does not name yet: it is added to its sources"
    "renew" "publisher" fr "Qui publie ce texte"
        en "Who publishes that text"
    "renew" "kind" fr "Ce qu’est ce texte : `law`, ou `administration`"
        en "What that text is: `law`, or `administration`"
    "renew" "published" fr "Parution de ce texte au journal officiel : numéro, date, page"
        en "Publication of that text in the gazette: number, date, page"
    "renew" "text_date" fr "Date de ce texte, AAAA-MM-JJ"
        en "Date of that text, YYYY-MM-DD"
    "renew" "url" fr "Adresse de ce texte sur un site officiel"
        en "Address of that text on an official site"

    "doc" "" fr "Écrit une page par barème : chiffres, calcul en toutes lettres, exemple, \
        graphique, sources"
        en "Write a page a scale: figures, steps in words, a worked case, a chart, sources"
    "doc" "names" fr "Dossiers des barèmes ; tous par défaut, et alors avec `--out`"
        en "Folders of rules; all if none, and then with `--out`"
    "doc" "out" fr "Écrit les pages dans ce dossier, avec leur liste"
        en "Write the pages to this folder, with a list of them"

    "list" "" fr "Liste les barèmes ; d’un seul, ses paramètres, sa réponse et ses dates"
        en "List the scales; of one, its parameters, its answer and its dated files"
    "list" "stale" fr "Seulement les barèmes en vigueur dont personne n’a relu les chiffres dans \
        les textes depuis six mois, avec ce qui est attendu"
        en "Only the scales in force whose figures nobody has read in the texts for six months, \
            with what is awaited"
    "list" "name" fr "Un dossier de barème, pour le voir en détail"
        en "A folder of rules, to see it in detail"

    "verify" "" fr "Vérifie un reçu signé, sa réponse, et recalcule ses montants hors ligne ; code \
        de sortie 3 : signature vraie, mais les barèmes donnés n’ont pas ce droit"
        en "Verify a signed receipt, its answer, and compute its amounts again offline; exit code \
            3: the signature is true, but the given rules do not have that law"
    "verify" "file" fr "La réponse avec son reçu, le reçu seul, une ligne d’un lot avec sa preuve, ou \
        un lot entier ; `-` est l’entrée standard"
        en "The answer with its receipt, the receipt alone, a row of a batch with its proof, or a \
            whole batch; `-` is the standard input"
    "verify" "keys" fr "Les clés publiques du service : son `/.well-known/jwks.json`, ou du PEM"
        en "The public keys of the service: its `/.well-known/jwks.json`, or PEM"
    "verify" "archive" fr "Dossier des barèmes que le service a gardés, écrit par `bareme-server \
        rules export` : le droit du reçu y est cherché après `--rules`"
        en "Folder of the rules that the service has kept, written by `bareme-server rules export`: \
            the law of the receipt is looked up there after `--rules`"

    "mcp" "" fr "Donne les calculs et les chiffres aux assistants, par le protocole MCP sur \
        l’entrée et la sortie standard"
        en "Give calculations and figures to assistants, by the protocol MCP over the standard \
            input and output"

    "schema" "" fr "Donne un schéma JSON des fichiers de barèmes, ou les écrit tous"
        en "Print a JSON Schema of the rule files, or write them all"
    "schema" "name" fr "`method`, `cases`, `service`, ou un dossier de barème pour ses fichiers \
        datés"
        en "`method`, `cases`, `service`, or a folder of rules for its dated files"
    "schema" "write" fr "Écrit tous les schémas sous ce dossier"
        en "Write every schema below this folder"

    "lsp" "" fr "Sert un éditeur de texte : diagnostics, explications, complétion, renommage des \
        fichiers de barèmes"
        en "Serve a text editor: diagnostics, explanations, completion, renaming of rule files"
    "lsp" "stdio" fr "Ajouté par certains éditeurs ; le serveur parle toujours sur l’entrée et la \
        sortie standard"
        en "Added by some editors; the server always speaks on its standard input and output"

    "completions" "" fr "Donne les complétions d’un interpréteur de commandes"
        en "Print the completions of a shell"
    "completions" "shell" fr "Interpréteur de commandes"
        en "The shell"

    "man" "" fr "Donne la page de manuel"
        en "Print the manual page"
    "man" "out" fr "Écrit dans ce dossier une page par commande"
        en "Write one page a command to this folder"
}
