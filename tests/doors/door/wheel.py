"""Asks the Python package: ``wheel.py RULES``. Each line of the standard input is a group of questions; a line an answer."""

import json
import sys
from decimal import Decimal

import bareme
import pyarrow as pa

rules = bareme.load(sys.argv[1])


def written(value) -> str:
    """As JSON, with every digit of a decimal."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{written(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, default=str)


def calculated(name: str, parameters: dict) -> dict:
    try:
        return rules.calculate(name, **parameters)
    except bareme.RefusedError as error:
        return {"code": error.code, "parametres": error.parameters}


def planned(name: str, day: str, fields: list[str] | None, columns: dict) -> list[dict]:
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return rules.plan(name, fields=fields, date=day)(table).to_pylist()


for line in sys.stdin:
    asked = json.loads(line)
    if "columns" in asked:
        answers = planned(asked["name"], asked["day"], asked["fields"], asked["columns"])
    else:
        answers = [calculated(asked["name"], parameters) for parameters in asked["questions"]]
    for answer in answers:
        print(written(answer))
    sys.stdout.flush()
