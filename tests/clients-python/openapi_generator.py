"""The client that openapi-generator makes, `python`."""

import datetime
import json
import sys
import typing

from calls import GENERATED, KEY, ORIGIN, check

sys.path.insert(0, GENERATED)
from openapi_client import ApiClient, ApiException, CalculsApi, Configuration  # noqa: E402

client = ApiClient(Configuration(host=ORIGIN, api_key={"cle": KEY}, access_token=KEY))
api = CalculsApi(client)

# Its names of what are words of the language.
NAMES = {"is": "call_is", "date": "var_date"}


def value(sent):
    """A text of an example as what it says: these clients check the types of what they are given."""
    if isinstance(sent, list):
        return [value(one) for one in sent]
    if not isinstance(sent, str):
        return sent
    try:
        return json.loads(sent)
    except ValueError:
        return sent


def method(operation):
    return getattr(api, f"{NAMES.get(operation, operation)}_with_http_info")


def item(hint):
    """The class of the items of a list that are a number or a word, which has a name of its own; else nothing."""
    if typing.get_origin(hint) is list:
        return next((kind for kind in typing.get_args(hint) if "actual_instance" in getattr(kind, "model_fields", ())), None)
    return next(filter(None, map(item, typing.get_args(hint))), None)


def typed(operation, parameters):
    sent = {NAMES.get(name, name): value(given) for name, given in parameters.items()}
    hints = typing.get_type_hints(method(operation))
    for name, given in sent.items():
        kind = item(hints[name])
        if kind and isinstance(given, list):
            sent[name] = [kind(one) for one in given]
    if "var_date" in sent:
        sent["var_date"] = datetime.date.fromisoformat(sent["var_date"])
    return sent


def call(operation, parameters):
    try:
        answer = method(operation)(**parameters)
        # Read into its models; given back as it came, for they leave out what is `null`.
        assert answer.data is not None
        return answer.status_code, json.loads(answer.raw_data)
    except ApiException as error:
        return error.status, json.loads(error.body)


check(call, typed)
