"""The calls that each generated client makes, and what their answers have to be.

Arguments of the programs: the address of the service, the description, the folder of what was generated, a key.
"""

import json
import pathlib
import sys
import urllib.parse

ORIGIN, DOCUMENT, GENERATED, KEY = sys.argv[1:]
document = json.loads(pathlib.Path(DOCUMENT).read_text(encoding="utf-8"))

# What a user of a client writes: the operation, its parameters, what the answer has.
WRITTEN = [
    ("ir", {"revenu": 30000}, {}),
    ("salaire", {"brut": 2500}, {}),
    ("tva", {"montant": 100}, {}),
    ("pret", {"montant": 100000, "duree": 120, "taux": 3}, {}),
    ("salaire_net", {"pays": "ci", "brut": 300000}, {"pays": "ci"}),
    ("tva_afrique", {"pays": "senegal"}, {}),
    ("salaire_net_ci", {"brut": 300000, "employeur": True}, {"pays": "ci"}),
    ("salaire_net_be", {"net": 2500}, {"net_mensuel": 2500}),
    ("salaire_net_sn", {"cout": 500000, "statut": "cadre"}, {"cout_employeur": 500000}),
    ("salaire_annee", {"annee": 2026, "brut": [2600, 2600, 3100]}, {"annee": 2026}),
]


def examples():
    """The worked example of each calculation: its operation, its query as texts, its answer."""
    for path in document["paths"].values():
        operation = path.get("get", {})
        if "calculs" in operation.get("tags", []):
            (example,) = operation["responses"]["200"]["content"]["application/json"]["examples"].values()
            query = dict(urllib.parse.parse_qsl(example["summary"]))
            listed = {one["name"] for one in operation["parameters"] if one["schema"].get("type") == "array"}
            query = {name: value.split(";") if name in listed else value for name, value in query.items()}
            yield operation["operationId"], query, example["value"]


def check(call, typed):
    """Checks the calls that are written, and then the worked example of each calculation.

    `call` calls an operation with typed parameters, and gives the status and the answer, read by the client and given back
    as JSON; `typed` gives the parameters of an operation their types, as a user would write them.
    """
    for operation, parameters, expected in WRITTEN:
        status, answer = call(operation, typed(operation, parameters))
        assert status == 200, (operation, answer)
        assert expected.items() <= answer.items(), (operation, answer)
    assert call("salaire_net_ci", typed("salaire_net_ci", WRITTEN[6][1]))[1]["cout_employeur"] > 300000
    # Bounds are checked by some clients themselves; what does not go together is checked by the service alone.
    status, refused = call("ir", typed("ir", {"revenu": 30000, "annee": 2026, "date": "2026-01-01"}))
    assert (status, refused["code"]) == (400, "parametres_invalides"), refused
    answers = len(WRITTEN)
    for operation, query, expected in examples():
        status, answer = call(operation, typed(operation, query))
        assert (status, answer) == (200, expected), (operation, status, answer)
        answers += 1
    print(f"{answers} answers")
