"""What the examples share: the plan, and a digest by which their answers are compared."""

import hashlib
import json
import sys
from decimal import Decimal

import pyarrow as pa

import bareme

FIELDS = ["impot_net", "taux_marginal", "taux_effectif", "plafonnement"]


def arguments() -> tuple:
    """The plan of the income tax by the rules of the first argument, and the file of the second."""
    rules, households = sys.argv[1:]
    return bareme.load(rules).plan("ir", fields=FIELDS, date="2026-03-31", keep=["id"]), households


def text(value: object) -> str:
    """A value in the only way in which it can be written."""
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        # Warnings, as an answer of the API writes them.
        there = [{name: one for name, one in warning.items() if one is not None} for warning in value]
        return json.dumps(there, ensure_ascii=False, separators=(",", ":"))
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def digest(answers: pa.Table) -> str:
    """SHA-256 of all rows in the order of ``id``, a line each, their values separated by tabs."""
    ordered = answers.sort_by("id")
    columns = [[text(value) for value in column.to_pylist()] for column in ordered.columns]
    lines = ["\t".join(ordered.column_names), *("\t".join(row) for row in zip(*columns))]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def report(answers: pa.Table, seconds: float) -> None:
    """Prints what the answers are, and how long they took."""
    print(json.dumps({"digest": digest(answers), "rows": answers.num_rows, "seconds": round(seconds, 3)}))
