"""The models that datamodel-code-generator makes, which read the answers to plain calls."""

import importlib
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from calls import GENERATED, KEY, ORIGIN, check, document

sys.path.insert(0, GENERATED)
models = importlib.import_module("models")
operations = {path["get"]["operationId"]: (at, path["get"]) for at, path in document["paths"].items() if "get" in path}


def typed(_, parameters):
    return parameters


def call(operation, parameters):
    path, described = operations[operation]
    sent = {name: json.dumps(given) if isinstance(given, bool) else given for name, given in parameters.items()}
    address = f"{ORIGIN}{path}?{urllib.parse.urlencode(sent, doseq=True)}"
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers={"X-API-Key": KEY})) as answer:
            status, body = answer.status, answer.read()
        schema = described["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        model = getattr(models, schema.rsplit("/", 1)[1])
    except urllib.error.HTTPError as error:
        status, body, model = error.code, error.read(), models.Probleme
    model.model_validate_json(body)
    return status, json.loads(body)


check(call, typed)
