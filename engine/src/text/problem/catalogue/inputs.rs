//! Mistakes in inputs: `I`.

macro_rules! inputs {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    KeyOfOtherType { key: String, expected: &'static str } "I01"
        fr "`{key}` n’a pas de sens pour ce type d’entrée"
           "le retirer, ou changer le type ({expected})"
        en "`{key}` means nothing for this type of input"
           "remove it, or change the type ({expected})"
    DecimalsOfRate {} "I14"
        fr "un taux n’a pas de `decimals`"
           "retirer cette clé ; les décimales d’un taux se disent par son pas, comme `step: 0.01%`"
        en "a rate has no `decimals`"
           "remove this key; a rate says its decimals by its step, like `step: 0.01%`"
    ChoiceWithoutValues { name: String } "I02"
        fr "le choix `{name}` n’a pas de valeurs" "ajouter `values: un; deux`"
        en "the choice `{name}` has no values" "add `values: one; two`"
    AliasTaken { alias: String } "I03"
        fr "l’autre nom `{alias}` est déjà pris" "le retirer"
        en "the alias `{alias}` is already taken" "remove it"
    PresenceUnclear { name: String } "I04"
        fr "on ne sait pas si `{name}` peut manquer"
           "écrire exactement un de : `required: true`, `optional: true`, `default: …`"
        en "it is not stated whether `{name}` may be absent"
           "write exactly one of: `required: true`, `optional: true`, `default: …`"
    ValueMisspelt { value: String, near: Option<String> } [near] "I11"
        fr "la valeur `{value}` ne pourrait jamais être reçue"
           "des minuscules sans accent, des chiffres et `_`, en commençant par une lettre, et pas \
            un mot du langage : ce que l’utilisateur de l’API envoie est mis sous cette forme"
        en "the value `{value}` could never be received"
           "lower case without accents, digits and `_`, starting with a letter, and no word of the \
            language: what the caller sends is brought to that form"
    ValueTwice { value: String } "I12"
        fr "la valeur `{value}` est donnée deux fois" "n’en garder qu’une"
        en "the value `{value}` is given twice" "keep only one"
    DefaultOutOfBounds { text: String; accepted } "I13"
        fr "la valeur par défaut `{text}` n’est pas acceptée par les bornes de l’entrée (accepté : \
            {accepted})"
           "corriger `default`, ou `min`, `max`, `step`"
        en "the default `{text}` is not accepted by the bounds of the input (accepted: {accepted})"
           "fix `default`, or `min`, `max`, `step`"
    EmptyBounds { name: String } "I05"
        fr "le minimum de `{name}` dépasse son maximum" "corriger `min` ou `max`"
        en "the minimum of `{name}` is above its maximum" "fix `min` or `max`"
    UnknownInput { name: String, near: Option<String>; known } [near] "I06"
        fr "`{name}` n’est pas une entrée" "nommer une entrée déclarée sous `inputs`{known}"
        en "`{name}` is not an input" "name an input declared under `inputs`{known}"
    CheckUnclear {} "I07"
        fr "ce contrôle ne dit pas clairement ce qu’il fait"
           "écrire `refuse: \"…\"` avec `input: nom`, ou `warn: \"…\"` avec `code: nom`"
        en "this check does not say clearly what it does"
           "write `refuse: \"…\"` with `input: name`, or `warn: \"…\"` with `code: name`"
    // `I15` to `I17`: programs compare the code of a warning, so that it has one meaning only.
    WarningWithoutCode {} "I15"
        fr "cet avertissement n’a pas de code"
           "ajouter `code: nom_du_cas`, que les programmes comparent : il reste le même quand la \
            phrase change"
        en "this warning has no code"
           "add `code: name_of_the_case`, which programs compare: it stays the same when the \
            sentence changes"
    WarningCodeTaken { code: String, other: String } "I16"
        fr "le code `{code}` est déjà celui d’un autre avertissement : « {other} »"
           "donner à celui-ci un autre code ; si c’est le même avertissement, la même phrase"
        en "the code `{code}` is already that of another warning: \"{other}\""
           "give this one another code; if it is the same warning, the same sentence"
    WarningCodeOfEngine { code: String } "I17"
        fr "le code `{code}` est celui d’un avertissement que donne le moteur lui-même"
           "en choisir un autre"
        en "the code `{code}` is that of a warning which the engine itself gives"
           "choose another one"
    // `I18`, `I19`: the sentence of a check is written once for each scale.
    SentenceBrace {} "I18"
        fr "une accolade de cette phrase n’a pas sa pareille"
           "entre `{{` et `}}`, écrire un montant de la loi, comme `{{minimum.montant}}` ; sans montant, \
            retirer l’accolade"
        en "a brace of this sentence has no other one"
           "write an amount of the law between `{{` and `}}`, like `{{minimum.montant}}`; without an \
            amount, remove the brace"
    SentenceOfQuery {} "I19"
        fr "entre accolades, une phrase ne montre que des chiffres de la loi : ni entrée, ni étape, \
            ni condition"
           "écrire un chiffre et sa colonne, comme `{{minimum.montant}}` ou `{{minimum.horaire * \
            minimum.heures}}`, ou dire le reste en mots"
        en "between braces, a sentence shows figures of the law alone: no input, no step, no \
            condition"
           "write a figure and its column, like `{{minimum.montant}}` or `{{minimum.horaire * \
            minimum.heures}}`, or say the rest in words"
    NotPaidOnce { name: String } "I20"
        fr "`{name}` n’est pas un montant que l’on peut ne pas envoyer"
           "nommer une entrée `money` facultative ou qui a un `default`, hors d’un groupe"
        en "`{name}` is no amount that may be left out"
           "name a `money` input that is optional or has a `default`, outside of groups"
    ParameterTaken { name: String } "I08"
        fr "le paramètre `{name}` est déjà pris"
           "lui donner un autre nom que ceux des entrées et du langage"
        en "the parameter `{name}` is already taken"
           "give it another name than those of the inputs and of the language"
    StepNotPositive { name: String } "I09"
        fr "le pas de `{name}` n’est pas positif" "écrire un pas plus grand que 0, comme 0.5 ou 1"
        en "the step of `{name}` is not positive" "write a step greater than 0, like 0.5 or 1"
    } };
}
