//! Warnings: `W`.

macro_rules! warnings {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    // Warnings about a method or a file, whatever the day; and those of `lint`, on the day of a
    // check.
    LiteralRate { text: String } "W30"
        fr "`{text}` multiplie ou divise ici un montant comme le ferait un taux de la loi"
           "en faire un chiffre daté et sourcé (`figures`), de type `rate`, et l’appeler par son \
            nom"
        en "`{text}` multiplies or divides an amount here as a rate of the law would"
           "make it a dated, sourced figure (`figures`) of the type `rate`, and call it by its name"
    RoundingOfUnits { unit: String } "W18"
        fr "cet arrondi est au multiple de {unit}, et non à {unit} décimales"
           "écrire `0.01` pour deux décimales, `10` pour la dizaine ; si la loi arrondit au \
            multiple de {unit}, en faire un chiffre (`base.pas`)"
        en "this rounds to a multiple of {unit}, not to {unit} decimals"
           "write `0.01` for two decimals, `10` for tens; if the law rounds to a multiple of \
            {unit}, make it a figure (`base.step`)"
    SourceOfTheFuture { id: String, date: String } "W21"
        fr "la source `{id}` est datée du {date}, un jour à venir"
           "corriger sa date ; un texte qui n’est pas encore publié n’est pas une source"
        en "the source `{id}` is dated {date}, a day to come"
           "fix its date; a text that is not published yet is no source"
    CheckedInTheFuture { date: String } "W22"
        fr "ce barème aurait été vérifié le {date}, un jour à venir"
           "écrire le jour où les chiffres ont été relus dans les textes"
        en "this scale is stated to have been checked on {date}, a day to come"
           "write the day on which the figures were read in the texts"
    KnownForTooLong { end: String } "W23"
        fr "vérification impossible jusqu’au {end}"
           "écrire dans `known_until` le dernier jour que les textes publiés couvrent ; au-delà, \
            les réponses avertissent"
        en "nobody can know this scale to hold until {end}"
           "write in `known_until` the last day that published texts cover; beyond it the answers \
            warn"
    ScaleEnded { end: String } "W24"
        fr "la loi met fin à ce barème le {end}, jour passé, et aucun ne le suit : les jours \
            d’après sont refusés"
           "écrire le barème qui le suit (`bareme new`), ou corriger `until` si la loi l’a prorogé"
        en "the law ends this scale on {end}, a day that is over, and none follows it: later days \
            are refused"
           "write the scale that follows (`bareme new`), or fix `until` if the law has extended it"
    ScaleToEnd { end: String, days: i32 } "W25"
        fr "la loi met fin à ce barème le {end}, dans {days} jour(s), et aucun ne le suit : les \
            jours d’après seront refusés"
           "préparer celui qui le suit (`bareme new`), ou corriger `until` si la loi l’a prorogé"
        en "the law ends this scale on {end}, in {days} d, and none follows it: later days will be \
            refused"
           "prepare the one that follows (`bareme new`), or fix `until` if the law has extended it"
    CaseTwice { name: String, line: usize } "W26"
        fr "le cas de la ligne {line}, du même jour, porte déjà le nom « {name} »"
           "dire dans le nom ce que chacun montre"
        en "the case of line {line}, of the same day, has the name \"{name}\" already"
           "say in the name what each shows"
    CasesComputed { count: usize } "W31"
        fr "{count} cas aux valeurs données par le programme lui-même (`computed`) : ils ne \
            prouvent rien"
           "refaire chacun à la main, puis dire dans `origin` d’où viennent ses valeurs (`kind: \
            hand`, `law`…) et en retirer `before`"
        en "{count} case(s) with values that the program itself gave (`computed`): they prove \
            nothing"
           "work each out by hand, then say in `origin` where its values come from (`kind: hand`, \
            `law`…) and remove `before` from it"
    BeforeOfNoComputedCase {} "W32"
        fr "`before` garde ce qu’attendait un cas `computed`, et celui-ci n’en est pas un"
           "retirer `before` si le cas est refait à la main ; sinon écrire `kind: computed`"
        en "`before` keeps what a `computed` case expected, and this is none"
           "remove `before` if the case was worked out by hand; otherwise write `kind: computed`"
    FolderNotServed { folder: String } "W27"
        fr "aucun point d’accès ne répond avec le dossier `{folder}`"
           "le nommer sous `endpoints` dans service.yaml, ou le sortir des barèmes"
        en "no endpoint answers from the folder `{folder}`"
           "name it under `endpoints` in service.yaml, or move it out of the rules"
    EmptyFolder {} "W28"
        fr "ce dossier ne contient aucun fichier de barème" "y mettre method.yaml, ou le retirer"
        en "this folder holds no rule file" "put method.yaml into it, or remove it"
    CommentCutsText {} "W29"
        fr "ce texte s’arrête ici : la suite, après `#`, est un commentaire"
           "mettre le texte entier entre guillemets, ou le commentaire sur sa propre ligne"
        en "this text ends here: the rest, after `#`, is a comment"
           "put the whole text between quotes, or the comment on a line of its own"
    // `W01` to `W05`: what nothing uses is most often a formula that reads another name.
    UnusedInput { name: String } "W01"
        fr "l’entrée `{name}` ne sert à rien" "l’utiliser, ou la retirer"
        en "the input `{name}` is used by nothing" "use it, or remove it"
    UnusedFigure { name: String } "W02"
        fr "le chiffre `{name}` ne sert à rien"
           "le lire dans l’étape où la loi l’emploie ; sinon le retirer de la méthode et de chaque \
            fichier daté"
        en "the figure `{name}` is used by nothing"
           "read it in the step where the law uses it; otherwise remove it from the method and \
            from each dated file"
    UnusedColumn { figure: String, column: String } "W03"
        fr "la colonne `{figure}.{column}` ne sert à rien"
           "la lire dans l’étape où la loi l’emploie ; sinon la retirer de la méthode et de chaque \
            fichier daté"
        en "the column `{figure}.{column}` is used by nothing"
           "read it in the step where the law uses it; otherwise remove it from the method and \
            from each dated file"
    UnusedStep { name: String } "W04"
        fr "l’étape `{name}` ne sert à rien" "la montrer dans la réponse, ou la retirer"
        en "the step `{name}` is used by nothing" "show it in the answer, or remove it"
    UnusedSource { id: String } "W05"
        fr "aucun chiffre ne cite la source `{id}`" "la citer, ou la retirer"
        en "no figure cites the source `{id}`" "cite it, or remove it"
    SourcesWithoutDate { ids: String } "W06"
        fr "textes de loi sans date, numéro, parution ni article : {ids}"
           "ajouter `date: AAAA-MM-JJ`, le jour du texte, ou `identifier`, `published`, `article` \
            : sans cela, on ne sait pas s’il a été remplacé"
        en "legal texts without date, number, gazette or article: {ids}"
           "add `date: YYYY-MM-DD`, the day of the text, or `identifier`, `published`, `article`: \
            without them nobody knows whether it was replaced"
    ScaleEnds { end: String, days: i32 } "W07"
        fr "ce barème n’est connu que jusqu’au {end}, dans {days} jour(s), et aucun ne le suit"
           "préparer le suivant (`bareme new`), ou repousser `known_until` après vérification"
        en "this scale is known until {end} only, in {days} d, and none follows it"
           "prepare the next one (`bareme new`), or move `known_until` once it is checked"
    ScaleOver { end: String } "W08"
        fr "ce barème n’est connu que jusqu’au {end}, jour passé, et aucun ne le suit"
           "écrire le suivant (`bareme new`), ou repousser `known_until` après vérification"
        en "this scale is known until {end} only, a day that is over, and none follows it"
           "write the next one (`bareme new`), or move `known_until` once it is checked"
    FiguresUnchanged { date: String, figures: String } "W09"
        fr "dans ce fichier nouveau, des chiffres sont encore ceux du {date} : {figures}"
           "vérifier que le nouveau texte les laisse inchangés"
        en "in this new file, some figures are still those of {date}: {figures}"
           "check that the new text leaves them unchanged"
    FiguresWithoutLaw { count: usize, figures: String } "W11"
        fr "{count} chiffre(s) sans texte de loi : {figures}"
           "citer dans `source` le texte qui les fixe (`kind: law`) ; s’il n’a pas été retrouvé, \
            ou s’il n’y en a pas, le dire par `note`"
        en "{count} figure(s) without a legal text: {figures}"
           "cite in `source` the text that sets them (`kind: law`); if it was not found, or there \
            is none, say so by `note`"
    DraftWaits { count: usize, figures: String } "W12"
        fr "brouillon, jamais en vigueur : {count} chiffre(s) à confirmer : {figures}"
           "lire chacun dans le texte officiel, puis `bareme confirm` ; en attendant `--drafts` le \
            simule"
        en "a draft, never in force: {count} figure(s) to confirm: {figures}"
           "read each in the official text, then `bareme confirm`; meanwhile `--drafts` simulates \
            it"
    DraftIsWhole { date: String } "W13"
        fr "brouillon dont aucun chiffre n’est plus à confirmer"
           "retirer `state: draft` pour qu’il entre en vigueur le {date}"
        en "a draft of which no figure is left to confirm"
           "remove `state: draft` so that it comes into force on {date}"
    ScaleWithoutCases { count: usize } "W14"
        fr "aucun cas de référence ne calcule ce barème : {count} chiffre(s) sans contrôle"
           "ajouter à cases.yaml des cas datés de ses jours, tirés du texte ou d’un calculateur \
            officiel"
        en "no worked case runs this scale: {count} figure(s) unguarded"
           "add cases of its days to cases.yaml, taken from the text or from an official calculator"
    FiguresNoCaseReads { count: usize, figures: String } "W15"
        fr "{count} chiffre(s) qu’aucun cas de référence n’utilise : {figures}"
           "ajouter un cas où chacun compte ; `bareme test --mutate` éprouve ensuite chaque valeur"
        en "{count} figure(s) that no worked case reads: {figures}"
           "add a case in which each counts; `bareme test --mutate` then tries each value"
    NoScaleOnThatDay { figure: String, date: String } "W17"
        fr "aucun fichier daté ne commence le {date}, jour où le chiffre `{figure}` apparaît ou \
            disparaît"
           "écrire le fichier `{date}.yaml` (`bareme new`), ou corriger `since` ou `until`"
        en "no dated file starts on {date}, the day on which the figure `{figure}` appears or goes"
           "write the file `{date}.yaml` (`bareme new`), or fix `since` or `until`"
    SpeaksOfOtherDay { date: String } "W16"
        fr "ce texte parle d’une autre date que celle de son fichier, le {date}"
           "le récrire pour cette date, ou le retirer"
        en "this text speaks of another day than that of its file, {date}"
           "rewrite it for that day, or remove it"

    // `W40` to `W50` doubt a figure or a file, most of them by comparison with the dated files
    // before it. An author who has read the text again answers by `reviewed`, with the reason;
    // `W51` and `W52` watch over these reasons.
    ValueMoved { cell: String, before: String, after: String, date: String; others } "W40"
        fr "`{cell}` vaut {after}, et valait {before} au barème du {date}{others}"
           "relire le texte : virgule déplacée, mois pris pour l’année, autre colonne ? Si la loi \
            dit bien cela, écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "`{cell}` is {after}, and was {before} in the scale of {date}{others}"
           "read the text again: a point that moved, a month taken for a year, another column? If \
            the law does say so, write `reviewed: \"…\"` on this figure, with the reason"
    BoundMoved { cell: String, before: String, after: String, date: String; others } "W41"
        fr "la borne `{cell}` vaut {after}, et valait {before} au barème du {date}{others}"
           "relire le texte : chiffre de trop ou de moins, mois pris pour l’année ? Si la loi dit \
            bien cela, écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "the bound `{cell}` is {after}, and was {before} in the scale of {date}{others}"
           "read the text again: a digit too many or too few, a month taken for a year? If the law \
            does say so, write `reviewed: \"…\"` on this figure, with the reason"
    RowLost { figure: String, before: usize, after: usize, row: String, date: String; others } "W42"
        fr "`{figure}` avait {before} ligne(s) là où il en a {after}, au barème du {date} : il \
            manque `{row}`{others}"
           "la remettre, ou, si la loi l’a supprimée, écrire sur ce chiffre `reviewed: \"…\"`, \
            avec le motif"
        en "`{figure}` had {before} row(s) where it has {after}, in the scale of {date}: `{row}` \
            is missing{others}"
           "put it back, or, if the law removed it, write `reviewed: \"…\"` on this figure, with \
            the reason"
    RateFalls { cell: String, rate: String, before: String; others } "W43"
        fr "le taux {rate} de `{cell}` est plus bas que celui de la tranche d’avant, \
            {before}{others}"
           "relire les taux dans l’ordre du texte ; si la loi dit bien cela, écrire sur ce chiffre \
            `reviewed: \"…\"`, avec le motif"
        en "the rate {rate} of `{cell}` is lower than that of the bracket before, {before}{others}"
           "read the rates again in the order of the text; if the law does say so, write \
            `reviewed: \"…\"` on this figure, with the reason"
    ValuesSwapped {
        first: String, second: String, after: String, before: String, date: String; others
    } "W44"
        fr "`{first}` et `{second}` semblent échangés : {after}, et {before} au barème du \
            {date}{others}"
           "relire dans le texte lequel est lequel ; si la loi dit bien cela, écrire sur ce \
            chiffre `reviewed: \"…\"`, avec le motif"
        en "`{first}` and `{second}` seem to be swapped: {after}, and {before} in the scale of \
            {date}{others}"
           "read in the text which is which; if the law does say so, write `reviewed: \"…\"` on \
            this figure, with the reason"
    OutOfStep {
        cell: String, before: String, after: String, date: String,
        own: String, usual: String; others
    } "W45"
        fr "`{cell}` passe de {before} à {after} ({own}) depuis le barème du {date}, quand les \
            autres montants du chiffre font {usual}{others}"
           "relire ce montant chiffre par chiffre ; si la loi dit bien cela, écrire sur ce chiffre \
            `reviewed: \"…\"`, avec le motif"
        en "`{cell}` goes from {before} to {after} ({own}) since the scale of {date}, where the \
            other amounts of the figure make {usual}{others}"
           "read this amount again digit by digit; if the law does say so, write `reviewed: \"…\"` \
            on this figure, with the reason"
    BackToBefore {
        cell: String, before: String, after: String, date: String, first: String; others
    } "W46"
        fr "`{cell}` revient à {after}, sa valeur du {first}, que le barème du {date} avait portée \
            à {before}{others}"
           "si le changement du {date} dure, l’écrire ici aussi ; si la loi y met fin, écrire sur \
            ce chiffre `reviewed: \"…\"`, avec le motif"
        en "`{cell}` is {after} again, its value of {first}, which the scale of {date} had changed \
            to {before}{others}"
           "if the change of {date} lasts, write it here too; if the law ends it, write \
            `reviewed: \"…\"` on this figure, with the reason"
    SourceUnchanged { cell: String, before: String, after: String, date: String, ids: String } "W47"
        fr "`{cell}` passe de {before} à {after} depuis le barème du {date}, sur la foi des mêmes \
            sources ({ids})"
           "citer le texte qui fixe la nouvelle valeur ; si le même texte la prévoyait, le dire \
            par `reviewed: \"…\"` sur ce chiffre"
        en "`{cell}` goes from {before} to {after} since the scale of {date}, on the strength of \
            the same sources ({ids})"
           "cite the text that sets the new value; if the same text provided for it, say so by \
            `reviewed: \"…\"` on this figure"
    ScaleCopied { date: String } "W48"
        fr "ce fichier répète celui du {date} : mêmes chiffres, mêmes sources"
           "préparer un barème par `bareme new`, qui marque chaque chiffre à relire ; si rien n’a \
            changé, citer ce qui le montre, ou écrire `reviewed: \"…\"` en tête du fichier, avec \
            le motif"
        en "this file repeats that of {date}: the same figures, the same sources"
           "prepare a scale by `bareme new`, which marks each figure to be read; if nothing \
            changed, cite what shows it, or write `reviewed: \"…\"` at the top of the file, with \
            the reason"
    SourceOfOtherYear { id: String, year: String, stated: String } "W49"
        fr "la source `{id}` se dit de {year} d’un côté, de {stated} de l’autre"
           "reprendre son nom, son titre et sa date dans le texte ; s’ils sont justes, écrire \
            `reviewed: \"…\"` en tête du fichier, avec le motif"
        en "the source `{id}` says {year} on one side, {stated} on the other"
           "take its name, title and date from the text; if they are right, write \
            `reviewed: \"…\"` at the top of the file, with the reason"
    ScaleFarAhead { date: String, end: String } "W50"
        fr "ce barème ne commence que le {date}, dans plus de 18 mois : d’ici là, celui d’avant \
            répond, connu jusqu’au {end} seulement"
           "corriger le jour dans le nom du fichier ; si la loi fixe bien ce jour, écrire \
            `reviewed: \"…\"` en tête du fichier, avec le motif"
        en "this scale starts on {date} only, in more than 18 months: until then the one before \
            answers, which is known until {end} only"
           "fix the day in the name of the file; if the law does set that day, write \
            `reviewed: \"…\"` at the top of the file, with the reason"
    TextOfTwoDays { stated: String, date: String, other: String, file: String } "W60"
        fr "`{stated}` est ici d’un texte du {date}, et d’un texte du {other} dans {file}"
           "copier l’adresse et le numéro du texte lui-même, ou corriger la date de l’un des deux ; \
            s’ils sont justes, écrire `reviewed: \"…\"` en tête du fichier, avec le motif"
        en "`{stated}` is here of a text of {date}, and of a text of {other} in {file}"
           "copy the address and the number of the text itself, or fix the date of one of them; if \
            they are right, write `reviewed: \"…\"` at the top of the file, with the reason"
    GazetteBeforeText { id: String, gazette: String, date: String } "W61"
        fr "la source `{id}` aurait paru le {gazette}, avant le jour du texte, le {date}"
           "reprendre dans le texte sa date et le jour de sa parution ; s’ils sont justes, écrire \
            `reviewed: \"…\"` en tête du fichier, avec le motif"
        en "the source `{id}` would have appeared on {gazette}, before the day of the text, \
            {date}"
           "take from the text its date and the day of its gazette; if they are right, write \
            `reviewed: \"…\"` at the top of the file, with the reason"
    LettersInNumber { text: String, near: String } "W62"
        fr "le numéro `{text}` a des lettres parmi ses chiffres" "écrire `{near}`"
        en "the number `{text}` has letters among its digits" "write `{near}`"
    TextTwice { id: String, first: String } "W63"
        fr "la source `{id}` est le même texte que `{first}`, plus haut dans ce fichier"
           "n’en garder qu’une, et la nommer partout ; si ce sont deux textes, donner à chacun son \
            titre, sa date ou son article"
        en "the source `{id}` is the same text as `{first}`, above in this file"
           "keep one of them, and name it everywhere; if these are two texts, give each its title, \
            its date or its article"
    AddressOfNoText { url: String } "W64"
        fr "`{url}` n’est pas l’adresse d’un texte : page d’accueil, ou adresse coupée"
           "copier l’adresse entière de la page du texte, ou retirer `url`"
        en "`{url}` is not the address of a text: a home page, or an address cut off"
           "copy the whole address of the page of the text, or remove `url`"
    CheckedBeforeText { checked: String, id: String, date: String } "W65"
        fr "ce barème aurait été vérifié le {checked}, avant le jour de sa source `{id}`, le {date}"
           "écrire le jour où les chiffres ont été relus dans les textes"
        en "this scale would have been checked on {checked}, before the day of its source \
            `{id}`, {date}"
           "write the day on which the figures were read again in the texts"
    AwaitedIsCited { text: String, id: String } "W66"
        fr "`watch` attend encore un texte que ce fichier cite déjà (`{id}`) : {text}"
           "s’il est paru, l’ôter de `watch` ; sinon le barème ne peut pas reposer sur lui"
        en "`watch` still awaits a text that this file cites already (`{id}`): {text}"
           "if it is out, take it off `watch`; otherwise the scale cannot rest on it"
    AwaitedIsOver { text: String, expected: String, checked: String } "W67"
        fr "ce texte était attendu pour le {expected}, et ce barème a été vérifié depuis, le \
            {checked} : {text}"
           "s’il est paru, le lire et l’ôter de `watch` ; s’il est encore attendu, écrire son \
            nouveau jour"
        en "this text was awaited for {expected}, and this scale was checked since, on {checked}: \
            {text}"
           "if it is out, read it and take it off `watch`; if it is still awaited, write its new day"
    OutOfStepOfText {
        cell: String, before: String, after: String, date: String,
        own: String, usual: String, id: String
    } "W68"
        fr "`{cell}` passe de {before} à {after} ({own}) depuis le barème du {date}, quand les \
            autres montants que change `{id}` font {usual}"
           "relire ce montant chiffre par chiffre ; si la loi dit bien cela, écrire sur ce chiffre \
            `reviewed: \"…\"`, avec le motif"
        en "`{cell}` goes from {before} to {after} ({own}) since the scale of {date}, where the \
            other amounts that `{id}` changes make {usual}"
           "read this amount again digit by digit; if the law does say so, write `reviewed: \"…\"` \
            on this figure, with the reason"
    NoLongerEqual {
        cell: String, value: String, other: String, moved: String, before: String, date: String;
        others
    } "W69"
        fr "`{cell}` vaut {value}, et `{other}` {moved} : les deux valaient {before} au barème du \
            {date}{others}"
           "si c’est le même montant de la loi, l’écrire aux deux endroits ; si la loi les sépare, \
            écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "`{cell}` is {value}, and `{other}` {moved}: both were {before} in the scale of \
            {date}{others}"
           "if it is the same amount of the law, write it in both places; if the law parts them, \
            write `reviewed: \"…\"` on this figure, with the reason"
    NoLongerJoined { cell: String, gap: String, date: String; others } "W70"
        fr "avec `{cell}`, le résultat saute de {gap} d’une tranche à l’autre, ce qu’il ne faisait \
            nulle part au barème du {date}{others}"
           "relire ce montant, les taux et la borne des deux tranches ; si la loi dit bien cela, \
            écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "with `{cell}` the result jumps by {gap} from one bracket to the next, which it did \
            nowhere in the scale of {date}{others}"
           "read this amount, the rates and the bound of both brackets again; if the law does say \
            so, write `reviewed: \"…\"` on this figure, with the reason"
    BoundsShifted { cell: String, date: String; others } "W71"
        fr "à partir de `{cell}`, chaque borne est celle de la ligne suivante au barème du \
            {date}{others}"
           "compter les lignes dans le texte : la première manque, ou une autre a été ajoutée à la \
            fin ; si la loi dit bien cela, écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "from `{cell}` on, each bound is that of the next row in the scale of {date}{others}"
           "count the rows in the text: the first is missing, or another was added at the end; if \
            the law does say so, write `reviewed: \"…\"` on this figure, with the reason"
    BoundsByOneFactor { cell: String, count: usize, factor: String, date: String; others } "W72"
        fr "les {count} bornes à partir de `{cell}` sont celles du barème du {date} multipliées \
            par {factor}{others}"
           "relire le texte : table d’un couple, d’une part, du mois ou de l’année ? Si la loi dit \
            bien cela, écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "the {count} bounds from `{cell}` on are those of the scale of {date} multiplied by \
            {factor}{others}"
           "read the text again: the table of a couple, of one share, of the month or of the year? \
            If the law does say so, write `reviewed: \"…\"` on this figure, with the reason"
    ValueUnlisted { figure: String, value: String, date: String; others } "W73"
        fr "aucune ligne de `{figure}` ne nomme plus `{value}`, qu’une ligne nommait au barème du \
            {date}{others}"
           "l’ajouter à la ligne qui lui répond dans le texte ; si la loi ne la distingue plus, \
            écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "no row of `{figure}` names `{value}` any more, which a row named in the scale of \
            {date}{others}"
           "add it to the row that answers it in the text; if the law no longer distinguishes it, \
            write `reviewed: \"…\"` on this figure, with the reason"
    QuotedValueGone { quoted: String, date: String } "W74"
        fr "ce texte dit {quoted}, une valeur du barème du {date} que plus aucun chiffre n’a ici"
           "le récrire avec les valeurs de ce barème ; s’il parle bien du passé, écrire \
            `reviewed: \"…\"` en tête du fichier, avec le motif"
        en "this text says {quoted}, a value of the scale of {date} that no figure has here any more"
           "rewrite it with the values of this scale; if it does speak of the past, write \
            `reviewed: \"…\"` at the top of the file, with the reason"
    CheckMayDivideByZero {; divisor } "W53"
        fr "cette condition divise par {divisor}, qui peut valoir 0 : elle ne se calcule alors \
            pas, et la réponse est une erreur interne"
           "écarter ce cas avant de diviser, comme `enfants > 0 and 10 / enfants > 2`, ou donner à \
            l’entrée un `min` plus grand que 0"
        en "this condition divides by {divisor}, which may be 0: it cannot be computed then, and \
            the answer is an internal fault"
           "rule that case out before dividing, like `enfants > 0 and 10 / enfants > 2`, or give \
            the input a `min` greater than 0"
    SettledOtherwise {
        step: String, taken: String, case: String, sum: String, so_far: String
    } "W54"
        fr "douze mois égaux du cas « {case} » : `{taken}` y fait {sum} dans l’année, et `{step}`, \
            qui le retire, {so_far}"
           "nommer dans `already` l’étape qui garde ce que les mois ont donné, ou corriger l’une \
            des deux"
        en "twelve equal months of the case \"{case}\": `{taken}` comes to {sum} in the year, and \
            `{step}`, which takes it off, to {so_far}"
           "name in `already` the step that keeps what the months gave, or fix one of the two"
    CaseOnDayOfDraft { date: String } "W55"
        fr "ce cas, d’un jour du brouillon du {date}, est calculé avec ce qui est en vigueur"
           "s’il est celui du brouillon, y ajouter `scale: {date}` : il est alors calculé à part, \
            avec le brouillon"
        en "this case, of a day of the draft of {date}, is computed with what is in force"
           "if it is one of the draft, add `scale: {date}` to it: it is then computed by itself, with \
            the draft"
    KnownPastWatch { end: String, text: String, expected: String } "W56"
        fr "ce barème se dit connu jusqu’au {end}, et attend pour le {expected} : {text}"
           "écrire dans `known_until` le dernier jour que les textes publiés couvrent ; si ce \
            texte est paru, le lire, et l’ôter de `watch`"
        en "this scale is stated to be known until {end}, and awaits for {expected}: {text}"
           "write in `known_until` the last day that published texts cover; if that text is out, \
            read it, and take it off `watch`"
    NotTranslated { text: String } "W79"
        fr "ce texte n’a pas d’anglais dans `en.yaml` : `{text}`"
           "l’y ajouter ; le dossier n’a de pages en anglais qu’avec tous ses textes"
        en "this text has no English in `en.yaml`: `{text}`"
           "add it there; the folder has pages in English only with all of its texts"
    TranslationOfNoText { text: String } "W80"
        fr "aucun texte du dossier ne dit cela : `{text}`"
           "recopier le texte tel qu’il est maintenant, et revoir l’anglais, ou retirer la ligne"
        en "no text of the folder says this: `{text}`"
           "copy the text as it is now, and read the English again, or remove the line"
    TranslatedTwice { text: String } "W81"
        fr "ce texte est traduit deux fois : `{text}`" "ne garder qu’une des deux lignes"
        en "this text is translated twice: `{text}`" "keep one of the two lines"
    TranslationOfOtherAmounts {} "W82"
        fr "l’anglais n’a pas entre accolades ce que le français y a"
           "écrire les mêmes noms entre accolades dans les deux"
        en "the English does not have between braces what the French has"
           "write the same names between braces in both"
    EndpointOfNoVariant { name: String } "W57"
        fr "aucune version ne publie le point d’accès `{name}` : il ne répond à personne"
           "l’ajouter aux `endpoints` d’une version, ou le retirer"
        en "no variant publishes the endpoint `{name}`: it answers nobody"
           "add it to the `endpoints` of a variant, or remove it"
    BoundWordChanged { cell: String, before: String, after: String, date: String; others } "W58"
        fr "la borne `{cell}` s’écrit `{after}`, et s’écrivait `{before}` au barème du {date} : la \
            valeur de la borne même change de ligne{others}"
           "relire dans le texte à qui va la borne (« jusqu’à », « moins de ») ; si la loi dit \
            bien cela, écrire sur ce chiffre `reviewed: \"…\"`, avec le motif"
        en "the bound `{cell}` is written `{after}`, and was written `{before}` in the scale of \
            {date}: the value of the bound itself changes its row{others}"
           "read in the text which side the bound belongs to (\"up to\", \"less than\"); if the \
            law does say so, write `reviewed: \"…\"` on this figure, with the reason"
    ReasonSaysNothing {} "W59"
        fr "ce motif ne dit rien que l’on puisse vérifier : il ne répond à aucun avertissement"
           "écrire en trois mots au moins ce que dit la loi, comme `plafond relevé par le décret du \
            18 décembre, art. 2`"
        en "this reason says nothing that can be checked: it answers no warning"
           "write in three words at least what the law says, like `ceiling raised by the decree of \
            18 December, art. 2`"
    ReviewedForNothing {} "W51"
        fr "ce motif ne répond à aucun avertissement"
           "le retirer : il ferait taire une erreur à venir"
        en "this reason answers no warning" "remove it: it would silence a mistake to come"
    ReviewedBefore { date: String } "W52"
        fr "ce motif est, mot pour mot, celui du {date} : il a été copié avec le chiffre et ne \
            vaut pas ici"
           "le retirer, ou, si un avertissement reste, relire le texte et écrire le motif \
            d’aujourd’hui"
        en "this reason is, word for word, that of {date}: it was copied with the figure and does \
            not count here"
           "remove it, or, if a warning remains, read the text again and write the reason of today"
    } };
}
