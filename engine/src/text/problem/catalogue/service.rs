//! Mistakes in the description of the service: `V`.

macro_rules! service {
    ([$next:ident $($then:ident)*] $($above:tt)*) => { $next! { [$($then)*] $($above)*

    ServiceFolder { name: String, near: Option<String>; known } [near] "V01"
        fr "aucun barème dans le dossier `{name}`" "nommer un dossier qui en a{known}"
        en "no rules in the folder `{name}`" "name a folder that has some{known}"
    ServiceEndpoint { name: String, near: Option<String>; known } [near] "V02"
        fr "`{name}` n'est pas un point d'accès déclaré" "le déclarer sous `endpoints`, ou nommer l'un de ceux qui y sont{known}"
        en "`{name}` is not a declared endpoint" "declare it under `endpoints`, or name one of those that are{known}"
    ServiceTarget { name: String } "V03"
        fr "le point d'accès `{name}` ne dit pas clairement son dossier" "écrire `folder: …`, ou `family: …` avec `by: …`"
        en "the endpoint `{name}` does not say its folder clearly" "write `folder: …`, or `family: …` with `by: …`"
    ServicePrefix { prefix: String } "V04"
        fr "le préfixe `{prefix}` est déjà pris" "donner un préfixe à chaque variante"
        en "the prefix `{prefix}` is already taken" "give each variant its own prefix"
    ServiceMissing {} "V05"
        fr "il manque service.yaml" "l'ajouter à la racine des barèmes : points d'accès, variantes, offres"
        en "service.yaml is missing" "add it at the root of the rules: endpoints, variants, plans"
    AliasOfTwoFolders { alias: String, other: String } "V07"
        fr "le nom `{alias}` choisit déjà le dossier `{other}` de cette famille" "ne le garder que dans l'un des deux"
        en "the name `{alias}` chooses the folder `{other}` of this family already" "keep it in one of the two only"
    AliasOfNoFamily { folder: String } "V08"
        fr "`aliases` n'a pas d'effet : aucun point d'accès ne choisit le dossier `{folder}` dans une famille" "retirer `aliases`, ou déclarer la famille dans service.yaml (`family: …`, `by: …`)"
        en "`aliases` has no effect: no endpoint chooses the folder `{folder}` in a family" "remove `aliases`, or declare the family in service.yaml (`family: …`, `by: …`)"
    ServiceKeyPrefix { prefix: String } "V06"
        fr "le préfixe de clé `{prefix}` est déjà pris" "donner à chaque variante ses trois lettres"
        en "the key prefix `{prefix}` is already taken" "give each variant its own three letters"
    } };
}
