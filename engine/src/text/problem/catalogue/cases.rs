//! Mistakes in worked cases: `C`; and the faults of the engine itself that a case brings out: `X`.

macro_rules! cases {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    CaseDiffers {
        field: String, expected: String, found: String, near: Option<String>
    } [near] "C01"
        fr "`{field}` vaut {found}, le cas attend {expected}"
           "refaire le calcul à la main : corriger le barème, ou le cas"
        en "`{field}` is {found}, the case expects {expected}"
           "work it out by hand: fix the scale, or the case"
    CaseRefused {
        name: String, reason: String, expected: String, near: Option<String>; cure
    } [near] "C02"
        fr "le calcul est refusé à cause de `{name}` : {reason} (accepté : {expected})" "{cure}"
        en "the calculation is refused because of `{name}`; the caller reads: `{reason}` \
            (accepted: `{expected}`)" "{cure}"
    CaseNotRefused { input: String } "C03"
        fr "le calcul devrait être refusé à cause de `{input}` et ne l’est pas"
           "corriger le cas, les bornes de l’entrée ou les `checks`"
        en "the calculation should be refused because of `{input}` and is not"
           "fix the case, the bounds of the input or the `checks`"
    CaseRefusedOtherwise { input: String, parameters: String } "C04"
        fr "le refus porte sur {parameters}, le cas attend `{input}`"
           "corriger `refuse`, ou `given`"
        en "the refusal is about {parameters}, the case expects `{input}`"
           "fix `refuse`, or `given`"
    CaseWarnsNot { text: String; warnings } "C05"
        fr "aucun avertissement ne contient « {text} » : {warnings}"
           "corriger `warns`, ou le `warn` de la méthode"
        en "no warning contains \"{text}\": {warnings}" "fix `warns`, or the `warn` of the method"
    CaseHasField { field: String } "C06"
        fr "le champ `{field}` est dans la réponse, le cas attend qu’il n’y soit pas"
           "corriger `absent`, ou le `when` du champ"
        en "the field `{field}` is in the answer, the case expects it absent"
           "fix `absent`, or the `when` of the field"
    CaseLacksField { name: String, near: Option<String>; known } [near] "C07"
        fr "la réponse n’a pas de champ `{name}`"
           "nommer l’un de ceux de la réponse{known} ; si ce champ devait y être, corriger son \
            `when`"
        en "the answer has no field `{name}`"
           "name one of those of the answer{known}; if this field was to be there, fix its `when`"
    CaseExpectsNothing {} "C08"
        fr "ce cas n’attend rien" "ajouter `expect`, `absent`, `refuse` ou `warns`"
        en "this case expects nothing" "add `expect`, `absent`, `refuse` or `warns`"
    CaseDateMissing {} "C09"
        fr "il manque la date du cas" "ajouter `date: AAAA-MM-JJ`, un jour du barème qu’il vérifie"
        en "the date of the case is missing"
           "add `date: YYYY-MM-DD`, a day of the scale that it checks"
    CaseDateAndYear {} "C11"
        fr "ce cas a une date et une année de paie"
           "garder `date` pour un mois seul, ou `year` pour une année de paie"
        en "this case has a date and a year of pays"
           "keep `date` for a single month, or `year` for a year of pays"
    CaseDateNotWanted {} "C10"
        fr "ce cas a une date, et la méthode n’en a pas" "retirer `date`"
        en "this case has a date, and the method has none" "remove `date`"

    CaseOfAnotherScale { scale: String; found } "C12"
        fr "ce cas se dit du barème du {scale}, et c’est {found} qui répond ce jour-là"
           "corriger `scale` ou la date du cas ; `scale` nomme le jour d’un fichier daté, et ne \
            s’impose que pour un cas de brouillon"
        en "this case is stated to be of the scale of {scale}, and {found} answers on that day"
           "fix `scale`, or the date of the case; `scale` names the day of a dated file, and only \
            a case of a draft needs it"
    CaseAbsentUnknown { name: String, near: Option<String> } [near] "C13"
        fr "aucune réponse de ce dossier n’a jamais de champ `{name}` : ce cas réussirait toujours"
           "nommer dans `absent` un champ que la réponse peut avoir"
        en "no answer of this folder ever has a field `{name}`: this case would always hold"
           "name under `absent` a field that the answer may have"

    // `X`: no mistake of the rules. The cause that rules can have is `W53`; otherwise the report
    // asks the author to send the case in.
    EngineFault { place: String } "X01"
        fr "erreur interne du moteur de calcul, dans `{place}`"
           "si un contrôle peut diviser par 0 (W53), le corriger ; sinon les barèmes n’y sont pour \
            rien : la signaler aux auteurs du programme, avec ce cas"
        en "internal fault of the engine, in `{place}`"
           "if a check may divide by 0 (W53), fix it; otherwise the rules are not at fault: report \
            it to the authors of the program, with this case"
    } };
}
