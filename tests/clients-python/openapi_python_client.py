"""The client that openapi-python-client makes."""

import datetime
import enum
import importlib
import inspect
import keyword
import pathlib
import sys
import typing

from calls import GENERATED, KEY, ORIGIN, check

package = next(pathlib.Path(GENERATED).glob("*_client")).name
sys.path.insert(0, GENERATED)
made = importlib.import_module(package)
client = made.AuthenticatedClient(base_url=ORIGIN, token=KEY, raise_on_unexpected_status=True)


def module(operation):
    # The generator adds an underscore to a word of the language: `is`.
    name = f"{operation}_" if keyword.iskeyword(operation) else operation
    return importlib.import_module(f"{package}.api.calculs.{name}")


def value(hint, sent):
    """A value for a parameter of this type."""
    if isinstance(sent, list):
        kinds = [kind for kind in (hint, *typing.get_args(hint)) if typing.get_origin(kind) is list]
        return [value(typing.get_args(kinds[0])[0], one) for one in sent]
    for kind in typing.get_args(hint) or (hint,):
        try:
            if kind is bool and isinstance(sent, str):
                return {"true": True, "false": False}[sent]
            if kind is datetime.date:
                return datetime.date.fromisoformat(sent)
            if kind in (bool, int, float, str) or (inspect.isclass(kind) and issubclass(kind, enum.Enum)):
                return kind(sent)
        except (ValueError, KeyError, TypeError):
            continue
    raise AssertionError(f"{sent!r} is no {hint}")


def typed(operation, parameters):
    hints = typing.get_type_hints(module(operation).sync_detailed)
    return {name: value(hints[name], sent) for name, sent in parameters.items()}


def call(operation, parameters):
    answer = module(operation).sync_detailed(client=client, **parameters)
    return answer.status_code, answer.parsed.to_dict()


check(call, typed)

form = importlib.import_module(f"{package}.api.cles.obtenir_cle")
body = typing.get_type_hints(form.sync_detailed)["body"]
body = next((kind for kind in typing.get_args(body) if hasattr(kind, "from_dict")), body)
given = form.sync_detailed(client=client, body=body.from_dict({"courriel": "elise@example.org"}))
assert given.status_code == 201 and len(given.parsed.cle) == 40, given
