//! Mistakes in figures, their shapes and their values: `G`.

macro_rules! figures {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    UnknownFigure { name: String, near: Option<String>; known } [near] "G01"
        fr "le chiffre `{name}` n’est pas déclaré par la méthode"
           "le déclarer sous `figures` dans la méthode, ou nommer l’un de ceux qui y sont{known}"
        en "the figure `{name}` is not declared by the method"
           "declare it under `figures` in the method, or name one of those that are{known}"
    MissingFigure { name: String, form: String; without } "G02"
        fr "il manque le chiffre `{name}`"
           "un barème daté est complet : ajouter sous `figures` `{form}`{without}"
        en "the figure `{name}` is missing"
           "a dated scale is complete: add under `figures` `{form}`{without}"
    FigureNotGiven { name: String; days } "G23"
        fr "le chiffre `{name}` n’existe pas à la date de ce fichier : la méthode le donne {days}"
           "le retirer de ce fichier, ou corriger `since` ou `until` dans la méthode"
        en "the figure `{name}` does not exist on the day of this file: the method gives it {days}"
           "remove it from this file, or fix `since` or `until` in the method"
    MissingColumn { column: String, figure: String } "G03"
        fr "il manque la colonne `{column}` de `{figure}`" "ajouter `{column}: …` avec sa valeur"
        en "the column `{column}` of `{figure}` is missing" "add `{column}: …` with its value"
    MissingSource { figure: String } "G04"
        fr "le chiffre `{figure}` n’a pas de source"
           "ajouter `source: …`, nommée sous `sources`, au chiffre ou à chacune de ses lignes"
        en "the figure `{figure}` has no source"
           "add `source: …`, named under `sources`, to the figure or to each of its rows"
    UnknownSource { id: String, near: Option<String>; known } [near] "G05"
        fr "la source `{id}` n’est pas dans `sources`"
           "l’y déclarer : `{id}: {{kind: law, title: \"…\", publisher: \"…\", date: AAAA-MM-JJ}}` \
            ; ou corriger ce nom, s’il devait être l’un de ceux qui y sont{known}"
        en "the source `{id}` is not in `sources`"
           "declare it there: `{id}: {{kind: law, title: \"…\", publisher: \"…\", date: \
            YYYY-MM-DD}}`; or fix this name, if it was to be one of those that are there{known}"
    PeriodMissing { figure: String, expected: String } "G06"
        fr "la période des montants de `{figure}` n’est pas dite"
           "ajouter `per: {expected}`, la période que la méthode attend, après avoir vérifié que \
            les montants écrits en sont"
        en "the period of the amounts of `{figure}` is not stated"
           "add `per: {expected}`, the period that the method expects, once the written amounts \
            are known to be of it"
    PeriodDiffers { stated: String, expected: String, near: Option<String> } [near] "G07"
        fr "la période `{stated}` n’est pas celle de la méthode"
           "la méthode attend `per: {expected}` : convertir les montants ou corriger la période"
        en "the period `{stated}` is not that of the method"
           "the method expects `per: {expected}`: convert the amounts or fix the period"
    PeriodNotWanted { figure: String } "G08"
        fr "`{figure}` n’a pas de montant par mois ni par an" "retirer `per`"
        en "`{figure}` has no amount per month or per year" "remove `per`"
    NoRows { figure: String } "G09"
        fr "`{figure}` n’a pas de lignes" "ajouter `rows:` avec une ligne par tranche ou par cas"
        en "`{figure}` has no rows" "add `rows:` with a row for each bracket or case"
    BoundNotWanted { figure: String } "G10"
        fr "les lignes de `{figure}` n’ont pas de borne"
           "la retirer, ou déclarer `bound` dans la méthode"
        en "the rows of `{figure}` have no bound" "remove it, or declare `bound` in the method"
    BoundWordsMixed { word: String } "G11"
        fr "`{word}` se mêle à un autre mot de borne"
           "une ligne n’a qu’une borne, haute dans tout le chiffre (`up_to`, `below`) ou basse \
            (`over`, `from`) : une tranche de 6 000 à 18 000 s’écrit `up_to: 18 000`, et la \
            dernière, qui n’a pas de fin, sans borne"
        en "`{word}` is mixed with another word of bound"
           "a row has one bound, an upper one in the whole figure (`up_to`, `below`) or a lower \
            one (`over`, `from`): a bracket from 6 000 to 18 000 is written `up_to: 18 000`, and \
            the last one, which has no end, without bound"
    BoundsDoNotIncrease { bound: String, before: String } "G12"
        fr "la borne `{bound}` ne dépasse pas la précédente, `{before}`"
           "relire les deux lignes dans le texte : leurs bornes, et leurs clés, dont une manque \
            peut-être ; si tout y est juste, les ranger par bornes croissantes"
        en "the bound `{bound}` is not above the one before, `{before}`"
           "read both rows in the text again: their bounds, and their keys, of which one may be \
            missing; if all is right, put them in the order of increasing bounds"
    OpenRowMisplaced {} "G13"
        fr "la ligne sans borne n’est pas à sa place"
           "lui donner la borne, ou la clé, qui lui manque ; seule la ligne qui n’a pas de borne \
            dans le texte vient en dernier avec up_to ou below, en premier avec over ou from"
        en "the row without bound is not in its place"
           "give it the bound, or the key, that it lacks; only the row that has no bound in the \
            text comes last with up_to or below, first with over or from"
    RowsAnswerTheSame { line: usize } "G14"
        fr "la ligne {line} répond déjà à ces valeurs"
           "donner à chacune des deux sa clé ou sa borne ; si elles disent la même chose, n’en \
            garder qu’une"
        en "line {line} already answers these values"
           "give each of the two its key or its bound; if they say the same, keep only one"
    TableMissesValue { figure: String, key: String; values } "G15"
        fr "aucune ligne de `{figure}` ne répond à {values}"
           "ajouter la ligne, ou une ligne sans `{key}` pour toutes les autres valeurs"
        en "no row of `{figure}` answers {values}"
           "add the row, or a row without `{key}` for all other values"
    TableWithoutOpenRow { figure: String; beyond, place } "G16"
        fr "aucune ligne de `{figure}` ne répond {beyond}"
           "ajouter {place} une ligne sans borne ; si la loi ne va pas plus loin, `or_refuse: \
            entrée` à l’étape"
        en "no row of `{figure}` answers {beyond}"
           "add {place} a row without bound; if the law goes no further, `or_refuse: input` to the \
            step"
    FigureWithoutColumns { name: String } "G17"
        fr "le chiffre `{name}` n’a pas de colonne de valeur"
           "déclarer au moins une colonne, comme `rate: rate`"
        en "the figure `{name}` has no column of values"
           "declare at least one column, like `rate: rate`"
    EndsBeforeItStarts {} "G18"
        fr "ce jour précède l’entrée en vigueur" "corriger la date, ou le nom du fichier"
        en "this day is before the scale comes into force" "fix the date, or the name of the file"
    FiguresOfUndated {} "G19"
        fr "une méthode sans dates n’a pas de chiffres" "retirer `dated: false`, ou les chiffres"
        en "a method without dates has no figures" "remove `dated: false`, or the figures"
    PointOrThousands { text: String, spaced: String, point: String } "G24"
        fr "`{text}` se lit de deux façons"
           "écrire `{spaced}` si le point sépare des milliers, `{point}` s’il sépare des décimales"
        en "`{text}` reads in two ways"
           "write `{spaced}` if the point separates thousands, `{point}` if it separates decimals"
    // `G21`, `G22`: a figure rests on the law or on an administration, or says that it does not.
    SecondarySource { id: String } "G21"
        fr "`{id}` est une source secondaire : elle ne fonde pas un chiffre"
           "la nommer dans `checked_with`, et dans `source` la loi ou l’administration qui fixe le \
            chiffre"
        en "`{id}` is a secondary source: no figure rests on it"
           "name it in `checked_with`, and in `source` the law or the administration that sets the \
            figure"
    EvidenceAlone { figure: String } "G22"
        fr "aucun texte ne fonde le chiffre `{figure}`, et il ne le dit pas"
           "ajouter `source: …`, ou à la fois `confidence: medium` (ou `low`) et `note: \"texte \
            non retrouvé ; d’après …\"`"
        en "the figure `{figure}` cites no source, and does not say so"
           "add `source: …`, or both `confidence: medium` (or `low`) and `note: \"texte non \
            retrouvé ; d’après …\"`"
    SourcesOfDated { key: &'static str } "G25"
        fr "`{key}` n’a pas d’effet dans une méthode qui a des dates"
           "le mettre dans chaque fichier daté, où sont les chiffres"
        en "`{key}` has no effect in a method that has dates"
           "put it into each dated file, where the figures are"
    ValueInMethod { text: String, types: &'static str } "G26"
        fr "`{text}` est une valeur, et une méthode ne déclare que des types"
           "écrire ici son type ({types}), et la valeur au même nom dans chaque fichier daté"
        en "`{text}` is a value, and a method declares types only"
           "write its type here ({types}), and the value under the same name in each dated file"
    KeyIsNoNumber { text: String, key: String } "G27"
        fr "`{text}` n’est pas une valeur de `{key}`"
           "écrire un nombre, ou plusieurs séparés par `;` comme `1; 2` ; pour toutes les autres \
            valeurs, une ligne sans `{key}`"
        en "`{text}` is no value of `{key}`"
           "write a number, or several separated by `;` like `1; 2`; for all other values a row \
            without `{key}`"
    // `G29` and `G30` are about slips of a figure that would otherwise be computed with: a sign, a
    // point, a range of values.
    ValueOutOfBounds {
        text: String, column: String, ty: &'static str, key: &'static str; limit
    } "G29"
        fr "`{text}` n’est pas une valeur de `{column}` : {limit}"
           "vérifier dans le texte son signe et la place du point ; si la loi dit bien cela, \
            l’admettre dans la méthode : `{column}: {{type: {ty}, {key}: {text}}}`"
        en "`{text}` is no value of `{column}`: {limit}"
           "check its sign and the place of the point in the text; if the law does say so, admit \
            it in the method: `{column}: {{type: {ty}, {key}: {text}}}`"
    RangeOfValues { text: String, first: String } "G30"
        fr "`{text}` dit deux valeurs, et un chiffre n’en a qu’une"
           "écrire celle que la loi applique, comme `{first}` ; si le texte laisse un doute, le \
            dire sur ce chiffre : `confidence: medium` (ou `low`), et `note: \"…\"` avec l’autre \
            valeur"
        en "`{text}` says two values, and a figure has one"
           "write the one that the law applies, like `{first}`; if the text leaves a doubt, say so \
            on this figure: `confidence: medium` (or `low`), and `note: \"…\"` with the other \
            value"
    BoundIsNoNumber { text: String } "G28"
        fr "`{text}` n’est pas une borne"
           "écrire un seul nombre, la borne haute de la tranche avec `up_to` ; la dernière \
            tranche, qui n’a pas de fin, s’écrit sans borne"
        en "`{text}` is no bound"
           "write a single number, the upper bound of the bracket with `up_to`; the last bracket, \
            which has no end, is written without bound"
    UnknownMarkedCell { text: String, near: Option<String>; known } [near] "G31"
        fr "`unconfirmed` nomme `{text}`, qui n’est pas une valeur écrite ici"
           "nommer celles qui restent à confirmer{known}, ou `true` si toutes le sont ; une fois \
            toutes lues, retirer la clé"
        en "`unconfirmed` names `{text}`, which is no value written here"
           "name those that are left to confirm{known}, or `true` if all are; once all are read, \
            remove the key"
    BillInForce { stated: String } "G32"
        fr "« {stated} » : aucun barème en vigueur ne repose sur un texte qui n’est pas adopté"
           "citer le texte adopté, avec sa date, et récrire ce qui parle du projet ; tant qu’il \
            n’est pas adopté, `state: draft`. Ce qui est attendu s’écrit dans `watch`, ce qui n’a \
            servi qu’à comparer dans `checked_with`"
        en "\"{stated}\": no scale in force rests on a text that is not adopted"
           "cite the adopted text, with its date, and rewrite what speaks of the bill; as long as \
            it is not adopted, `state: draft`. What is awaited is written in `watch`, what was \
            only compared in `checked_with`"
    UnchangedValueChanged { cell: String, before: String, after: String, date: String } "G33"
        fr "`{cell}` se dit inchangé, et vaut {after} au lieu de {before} au barème du {date}"
           "relire la valeur dans le texte : la corriger, ou retirer « inchangé » et citer le \
            texte qui la change"
        en "`{cell}` is marked as unchanged, and is {after} instead of {before} in the scale of \
            {date}"
           "read the value again in the text: fix it, or remove \"unchanged\" and cite the text \
            that changes it"
    SharedAmount {
        figure: String, value: String, folder: String, other: String, date: String
    } "G34"
        fr "`{figure}` vaut {value} ici, et {other} dans `{folder}` (barème du {date}), le même \
            jour et sur la foi du même texte"
           "relire le texte et corriger celui qui a tort ; si ce sont deux montants de la loi, \
            donner à chacun son nom, ou son article"
        en "`{figure}` is {value} here, and {other} in `{folder}` (scale of {date}), on the same \
            day and on the strength of the same text"
           "read the text again and fix the one that is wrong; if these are two amounts of the \
            law, give each its own name, or its article"
    AmountGivenTwice { figure: String, folder: String, other: String } "G35"
        fr "`{figure}` est le même montant ou le même taux que `{other}` dans `{folder}`, le même jour et sur la foi des \
            mêmes textes"
           "ne l’écrire que là : dans la méthode, `{figure}: {{taken_from: {folder}, figure: \
            {other}}}`, ou tous deux d’un dossier commun ; si ce sont deux montants de la loi, \
            donner à chacun son article"
        en "`{figure}` is the same sum or rate as `{other}` in `{folder}`, on the same day and on the \
            strength of the same texts"
           "write it there alone: in the method, `{figure}: {{taken_from: {folder}, figure: \
            {other}}}`, or both from a common folder; if these are two amounts of the law, give \
            each its article"
    } };
}
