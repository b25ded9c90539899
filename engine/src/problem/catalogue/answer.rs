//! Mistakes in the answer: `A`.

macro_rules! answer {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    AutomaticField { name: String } "A01"
        fr "le champ `{name}` s'ajoute de lui-même" "le retirer, ou lui donner un autre nom"
        en "the field `{name}` comes by itself" "remove it, or give it another name"
    FieldWithoutForm { name: String, forms: String } "A02"
        fr "on ne sait pas ce que montre le champ `{name}`" "écrire une formule, ou l'une des clés : {forms}"
        en "it is not said what the field `{name}` shows" "write a formula, or one of the keys: {forms}"
    UnknownStep { name: String, near: Option<String> } [near] "A03"
        fr "`{name}` n'est pas une étape" "nommer une étape de cette méthode"
        en "`{name}` is not a step" "name a step of this method"
    StepOfOtherKind { name: String, expected: String, found: &'static str } "A04"
        fr "l'étape `{name}` est de genre `{found}`, `{expected}` est attendu" "nommer une étape du bon genre"
        en "the step `{name}` is of the kind `{found}`, `{expected}` is expected" "name a step of that kind"
    BadAnswerRounding { text: String } "A05"
        fr "l'arrondi `{text}` n'est pas compris" "écrire une unité et au besoin un mode, comme `0.01` ou `1 down`"
        en "the rounding `{text}` is not understood" "write a unit and a mode if need be, like `0.01` or `1 down`"
    UnknownField { name: String, near: Option<String> } [near] "A06"
        fr "`{name}` n'est pas un champ de la réponse" "nommer un champ écrit sous `answer`"
        en "`{name}` is not a field of the answer" "name a field written under `answer`"
    FieldIsNoAmount { name: String } "A07"
        fr "le champ `{name}` n'est pas un montant présent dans toutes les réponses" "nommer un champ qui montre un montant, sans `when` ni `as`"
        en "the field `{name}` is not an amount that every answer has" "name a field that shows an amount, without `when` or `as`"
    InputNotShown { name: String } "A08"
        fr "aucun champ de la réponse ne montre l'entrée `{name}`, qui est cherchée" "ajouter sous `answer` un champ qui la montre, comme `{name}: {name}`"
        en "no field of the answer shows the input `{name}`, which is looked for" "add a field that shows it under `answer`, like `{name}: {name}`"
    SearchUnit { unit: String, grid: String } "A10"
        fr "l'unité `{unit}` n'est pas un multiple de {grid}, l'unité de l'entrée cherchée" "écrire un multiple de {grid}, ou enlever `unit` : l'unité est alors {grid}"
        en "the unit `{unit}` is no multiple of {grid}, the unit of the input that is looked for" "write a multiple of {grid}, or remove `unit`: the unit is then {grid}"
    LineWithoutAmount { name: String } "A09"
        fr "l'étape `{name}` n'est pas un montant" "une ligne de paie montre un montant : nommer une autre étape"
        en "the step `{name}` is no amount" "a line of a payslip shows an amount: name another step"
    } };
}
