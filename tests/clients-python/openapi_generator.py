"""The client that openapi-generator makes, `python`."""

import datetime
import json
import sys

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


def typed(_, parameters):
    sent = {NAMES.get(name, name): value(given) for name, given in parameters.items()}
    if "var_date" in sent:
        sent["var_date"] = datetime.date.fromisoformat(sent["var_date"])
    return sent


def call(operation, parameters):
    try:
        answer = getattr(api, f"{NAMES.get(operation, operation)}_with_http_info")(**parameters)
        # Read into its models; given back as it came, for they leave out what is `null`.
        assert answer.data is not None
        return answer.status_code, json.loads(answer.raw_data)
    except ApiException as error:
        return error.status, json.loads(error.body)


check(call, typed)
