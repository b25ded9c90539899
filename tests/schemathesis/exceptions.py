"""What the description of the interface cannot say, and a schema-valid call may be refused for.

It takes the place of the check `positive_data_acceptance`, which knows no such reasons and is the only
one left out: a call that is right by the description is answered, or refused for one of these.
"""

import jsonschema_rs
import schemathesis

# What a value means beside the others: `date` with `annee`, fees above the capital, lists of as many months. Nor can
# JSON Schema bound a date: that of the first scale is in the description only. `brut` is missing where
# neither it nor what may be sent instead is there.
BESIDE_THE_OTHERS = {"incompatible", "sans_bareme", "manquant", "longueur"}


def _own_schemas(case):
    """The parameters of the folder that answers: in a family, those of the path of the folder that the call selects."""
    paths, path = case.operation.schema.raw_schema["paths"], case.operation.path
    selected = [f"{path}/{word}" for word in (case.query or {}).values() if f"{path}/{word}" in paths]
    operation = paths[(selected or [path])[0]][case.operation.method.lower()]
    return {parameter["name"]: parameter["schema"] for parameter in operation.get("parameters", [])}


def _has_float(sent):
    """Whether a value, or one of the months of a list, is a float."""
    return any(isinstance(value, float) for value in (sent if isinstance(sent, list) else [sent]))


def _is_explained(case, bad):
    if bad["code"] in BESIDE_THE_OTHERS:
        return True
    # The names of fields are the members of the answer.
    if bad["nom"] == "champs":
        return True
    # Which values go together is a table of the law: each country has its own kinds of rates.
    if bad["motif"].startswith("Le barème n’a pas de ligne"):
        return True
    # How far a net pay reaches depends on the others.
    if bad["motif"].startswith("Ne peut pas être atteint"):
        return True
    # The rates of all territories are listed, and each has its own.
    if bad["code"] == "valeur_inconnue" and isinstance((case.query or {}).get(bad["nom"]), (int, float)):
        return True
    # Numbers are written without exponent and with fifteen decimals at most, as the description says in its
    # first lines: `multipleOf` would say the latter, but validators that compute in floats misjudge it.
    if _has_float((case.query or {}).get(bad["nom"])):
        _, _, decimals = bad["valeur_recue"].partition(".")
        if "e" in bad["valeur_recue"] or len(decimals) > 15:
            return True
    # The parameters of a family are those of all its folders; each has bounds of its own, described too.
    described = _own_schemas(case).get(bad["nom"])
    sent = (case.query or {}).get(bad["nom"])
    if described is None:
        return True
    # A step that is counted from a least value which is no multiple of it is said in the description only.
    if bad["motif"].startswith("La valeur doit suivre un pas") and "multipleOf" not in described:
        return True
    return not jsonschema_rs.is_valid(described, sent)


@schemathesis.check
def valid_calls_are_answered(ctx, response, case):
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code == 200:
        return
    # Which versions of the law are kept, and since when, is not for a description.
    if response.status_code == 404 and response.json()["code"] == "version_inconnue":
        return
    assert response.status_code == 400, f"{response.status_code} to a call that is right by the description"
    # A batch of no row, and texts of the forms whose lines no schema describes.
    if response.json()["code"] == "lot_illisible":
        return
    unexplained = [bad for bad in response.json()["parametres"] if not _is_explained(case, bad)]
    assert not unexplained, f"refused, right by the description: {unexplained}"
