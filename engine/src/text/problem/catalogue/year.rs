//! Mistakes in the block `year:` of a method: `P`.

macro_rules! year {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    YearOfUndated {} "P01"
        fr "une méthode sans dates n’a pas d’année de paie"
           "retirer `year:`, ou donner des fichiers datés à la méthode"
        en "a method without dates has no year of pays"
           "remove `year:`, or give the method dated files"
    SwitchVaries { name: String } "P02"
        fr "l’entrée `{name}` active une option et ne peut pas changer d’un mois à l’autre"
           "la retirer de `varying`"
        en "the input `{name}` switches an option on and cannot differ from month to month"
           "remove it from `varying`"
    VaryingLeftOut { name: String } "P03"
        fr "l’entrée `{name}` est à la fois dans `varying` et dans `without`"
           "la retirer de l’une des deux listes"
        en "the input `{name}` is both in `varying` and in `without`"
           "remove it from one of the two lists"
    NotAddedUp { name: String, near: Option<String> } [near] "P04"
        fr "`{name}` n’est pas un champ de la réponse que l’année additionne"
           "nommer un champ qui montre un montant, un nombre ou des lignes de paie : une somme de \
            taux n’a pas de sens"
        en "`{name}` is no field of the answer that a year adds up"
           "name a field that shows an amount, a number or lines of a payslip: a sum of rates \
            means nothing"
    // `P05` to `P12`: formulas that read the other months of a year of pays.
    SumWithoutYear { word: String } "P05"
        fr "`{word}` demande une année de paie, et la méthode n’a pas de bloc `year:`"
           "écrire `year:` avec `varying`, les entrées qui changent d’un mois à l’autre, et \
            `totals`"
        en "`{word}` needs a year of pays, and the method has no block `year:`"
           "write `year:` with `varying`, the inputs that differ from month to month, and `totals`"
    SumOfNoName { function: &'static str } "P06"
        fr "`{function}` s’applique à un nom"
           "nommer une entrée ou une étape écrite plus haut : faire d’abord une étape de la formule"
        en "`{function}` applies to a name"
           "name an input or a step above: make a step of the formula first"
    BadSumKey { name: String, found: &'static str } "P07"
        fr "`{name}` (`{found}`) ne peut pas faire repartir une somme"
           "nommer une entrée ou une étape qui est un nombre, un taux, un choix, vrai ou faux"
        en "`{name}` (`{found}`) cannot start a sum again"
           "name an input or a step that is a number, a rate, a choice or a boolean"
    AlreadyNoStep { name: String, near: Option<String> } [near] "P08"
        fr "`already` nomme `{name}`, qui n’est ni cette étape ni une étape écrite plus bas"
           "nommer l’étape dont les mois précédents sont déjà comptés : elle-même, ou une étape \
            plus bas de la même partie"
        en "`already` names `{name}`, which is neither this step nor one below"
           "name the step whose earlier months are already counted: itself, or one below in the \
            same part"
    AlreadyCount { count: usize } "P09"
        fr "`already` reçoit {count} noms"
           "écrire une étape, et au besoin ce qui la fait repartir : `already: reduction; delta`"
        en "`already` is given {count} names"
           "write a step, and if need be what starts it again: `already: reduction; delta`"
    DependsOnPays { name: String } "P10"
        fr "`{name}` dépend de ce qui est payé chaque mois, ou d’une somme"
           "seul se lit à l’avance ce que la loi et les entrées de toute l’année décident : nommer \
            une étape qui ne lit rien de `varying`"
        en "`{name}` depends on what is paid each month, or on a sum"
           "only what the law and the inputs of the whole year decide is known in advance: name a \
            step that reads nothing of `varying`"
    SumInDefault { function: &'static str } "P12"
        fr "une valeur par défaut ne lit pas les autres mois : `{function}` n’y a pas de sens"
           "en faire une étape"
        en "a default does not read other months: `{function}` means nothing in it"
           "make a step of it"
    RankOfOtherForm { name: String } "P13"
        fr "`{name}` ne dit pas le rang d’une paie"
           "nommer une entrée facultative, entière, de 1 à 12, qui n’est pas dans `varying`"
        en "`{name}` does not say the rank of a pay"
           "name an optional whole input from 1 to 12 that is not in `varying`"
    EachMonthOfConstant { name: String } "P14"
        fr "l’entrée `{name}` est dans `each_month` sans être dans `varying`"
           "l’ajouter à `varying`, ou la retirer de `each_month`"
        en "the input `{name}` is in `each_month` and not in `varying`"
           "add it to `varying`, or remove it from `each_month`"
    NotInEveryMethod { name: String, method: String; found } "P11"
        fr "une année de paie lit `{name}` d’un mois à l’autre, et `{method}` ne l’a pas de même \
            {found}"
           "donner à cette méthode une entrée ou une étape de ce nom et de ce type, ou faire \
            commencer l’autre un 1er janvier"
        en "a year of pays reads `{name}` from month to month, and `{method}` does not have it \
            the same way {found}"
           "give this method an input or a step of that name and type, or let the other one start \
            on 1 January"
    } };
}
