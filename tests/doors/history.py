"""Asks the Python package questions by laws: ``history.py QUESTIONS``, a JSON list; prints a JSON list of answers.

Each question names the ``rules``, or an ``archive`` with a ``version``, and what is calculated. Its answer is that of
``calculate``, then the row of a plan.
"""

import json
import sys

import bareme
import pyarrow as pa

loaded = {}


def rules_of(question: dict) -> bareme.Rules:
    place, version = question.get("rules"), question.get("version")
    key = (place, version)
    if key not in loaded:
        loaded[key] = bareme.load(place) if place else bareme.load(archive=question["archive"], version=version)
    return loaded[key]


def answer(question: dict) -> list:
    rules, name, parameters = rules_of(question), question["name"], question["parameters"]
    row = pa.table({name: pa.array([value]) for name, value in parameters.items()})
    return [rules.calculate(name, **parameters), rules.plan(name)(row).to_pylist()]


print(json.dumps([answer(question) for question in json.loads(sys.argv[1])], default=str))
