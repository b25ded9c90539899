"""Calls every endpoint by a client that openapi-python-client made, with the worked examples of the description.

Arguments: the address of the service, the description, the folder of the generated package.
"""

import datetime
import enum
import importlib
import inspect
import json
import keyword
import pathlib
import sys
import typing
import urllib.parse

ORIGIN, DOCUMENT, GENERATED = sys.argv[1:]
document = json.loads(pathlib.Path(DOCUMENT).read_text(encoding="utf-8"))
package = next(pathlib.Path(GENERATED).glob("*_client")).name
sys.path.insert(0, GENERATED)
client = importlib.import_module(package).Client(base_url=ORIGIN, raise_on_unexpected_status=True)


def typed(hint, text):
    """The value of a text for a parameter of this type, as a user of the client would write it."""
    for kind in typing.get_args(hint) or (hint,):
        try:
            if kind is bool:
                return {"true": True, "false": False}[text]
            if kind is datetime.date:
                return datetime.date.fromisoformat(text)
            if kind in (int, float, str) or (inspect.isclass(kind) and issubclass(kind, enum.Enum)):
                return kind(text)
        except (ValueError, KeyError):
            continue
    raise AssertionError(f"{text!r} is no {hint}")


def call(operation, query):
    # The generator adds an underscore to a word of the language: `is`.
    name = f"{operation}_" if keyword.iskeyword(operation) else operation
    module = importlib.import_module(f"{package}.api.calculs.{name}")
    hints = typing.get_type_hints(module.sync_detailed)
    return module.sync_detailed(client=client, **{name: typed(hints[name], value) for name, value in query})


answers = 0
for path in document["paths"].values():
    if "calculs" not in path.get("get", {}).get("tags", []):
        continue
    examples = path["get"]["responses"]["200"]["content"]["application/json"]["examples"]
    members = path["get"].get("x-membres", [None])
    assert len(examples) == len(members), "an example for each"
    for name, example in examples.items():
        answer = call(path["get"]["operationId"], urllib.parse.parse_qsl(example["summary"]))
        assert answer.status_code == 200, (name, answer)
        assert answer.parsed.to_dict() == example["value"], (name, answer.parsed)
        answers += 1

refused = call("ir", [("revenu", "-1")])
assert refused.status_code == 400 and refused.parsed.code == "parametres_invalides", refused

form = importlib.import_module(f"{package}.api.cles.obtenir_cle")
body = next(hint for name, hint in typing.get_type_hints(form.sync_detailed).items() if name == "body")
body = next((kind for kind in typing.get_args(body) if hasattr(kind, "from_dict")), body)
given = form.sync_detailed(client=client, body=body.from_dict({"courriel": "claire@example.org"}))
assert given.status_code == 201 and len(given.parsed.cle) == 40, given
print(f"{answers} answers")
