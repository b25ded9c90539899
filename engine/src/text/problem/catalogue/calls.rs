//! Mistakes in what folders calculate of each other: `K`.

macro_rules! calls {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    UnknownFolder { folder: String, near: Option<String> } [near] "K01"
        fr "il n’y a pas de dossier `{folder}` parmi les barèmes"
           "écrire le chemin d’un dossier depuis la racine des barèmes, comme `ir` ou \
            `salaire-net/ci`"
        en "there is no folder `{folder}` among the rules"
           "write the path of a folder from the root of the rules, like `ir` or `salaire-net/ci`"
    CalledFolderHasErrors { folder: String } "K02"
        fr "le dossier `{folder}`, que cette étape calcule, a des erreurs"
           "les corriger dans `{folder}` : cette étape sera vérifiée ensuite"
        en "the folder `{folder}`, which this step calculates, has errors"
           "correct them in `{folder}`: this step is checked after that"
    CallsItself { path: String } "K03"
        fr "ces dossiers se calculent l’un par l’autre : {path}"
           "retirer l’un de ces appels : un calcul ne peut pas attendre son propre résultat"
        en "these folders calculate each other: {path}"
           "remove one of these calls: a calculation cannot wait for its own result"
    UnknownGiven { name: String, folder: String, inputs: String, near: Option<String> } [near] "K04"
        fr "`{name}` n’est pas une entrée de `{folder}`"
           "donner une entrée de ce dossier : {inputs}"
        en "`{name}` is no input of `{folder}`"
           "give an input of that folder: {inputs}"
    NotGiven { name: String, folder: String } "K05"
        fr "`{folder}` demande `{name}`, qui n’est pas donné"
           "ajouter sous `given` : `{name}: …`"
        en "`{folder}` requires `{name}`, which is not given"
           "add under `given`: `{name}: …`"
    WrongGiven { name: String, folder: String, expected: &'static str, found: &'static str } "K06"
        fr "l’entrée `{name}` de `{folder}` est de type `{expected}`, ceci est de type `{found}`"
           "donner une valeur de ce type"
        en "the input `{name}` of `{folder}` is of type `{expected}`, this is of type `{found}`"
           "give a value of that type"
    UnknownCalledField { name: String, fields: String, near: Option<String> } [near] "K07"
        fr "`{name}` n’est pas un champ d’une seule valeur de la réponse calculée"
           "nommer l’un de ses champs : {fields}"
        en "`{name}` is no field of one value of the answer that is calculated"
           "name one of its fields: {fields}"
    // `K08` to `K12`: editions of the other folder that some day of this scale would ask.
    CalledTooEarly { folder: String, date: String, start: String } "K08"
        fr "le premier barème de `{folder}` est du {start}, et cette étape le calcule au {date}"
           "écrire le barème de `{folder}` en vigueur ce jour-là, ou commencer plus tard"
        en "the first scale of `{folder}` is of {start}, and this step calculates it on {date}"
           "write the scale of `{folder}` in force on that day, or start later"
    GivenOnOtherDays { name: String, folder: String, date: String } "K09"
        fr "`{folder}` n’a pas l’entrée `{name}`, de ce type, dans son barème du {date}, que cette \
            étape calcule aussi"
           "ne pas la donner, ou donner à ce dossier daté une méthode qui calcule autrement"
        en "`{folder}` has no input `{name}` of this type in its scale of {date}, which this step \
            calculates too"
           "do not give it, or give this dated file a method that calculates otherwise"
    WordOfOtherFolder { name: String, word: String, folder: String, date: String } "K10"
        fr "l’entrée `{name}` de `{folder}` n’a pas le mot `{word}` dans son barème du {date}"
           "donner un mot que ce dossier connaît, par une formule `if … then … else …`"
        en "the input `{name}` of `{folder}` has no word `{word}` in its scale of {date}"
           "give a word that this folder knows, by a formula `if … then … else …`"
    CalledFieldOnOtherDays { name: String, folder: String, date: String } "K11"
        fr "la réponse de `{folder}` n’a pas le champ `{name}`, de ce type, dans son barème du \
            {date}, que cette étape calcule aussi"
           "lire un champ qui existe ces jours-là, ou donner à ce dossier daté une autre méthode"
        en "the answer of `{folder}` has no field `{name}` of this type in its scale of {date}, \
            which this step calculates too"
           "read a field that exists on these days, or give this dated file another method"
    RequiredOnOtherDays { name: String, folder: String, date: String } "K12"
        fr "`{folder}` demande `{name}` dans son barème du {date}, que cette étape calcule aussi, et \
            il n’est pas donné"
           "le donner, ou donner à ce dossier daté une méthode qui calcule autrement"
        en "`{folder}` requires `{name}` in its scale of {date}, which this step calculates too, \
            and it is not given"
           "give it, or give this dated file a method that calculates otherwise"
    } };
}
