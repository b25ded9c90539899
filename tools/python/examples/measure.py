"""Measures how many payslips a second a plan computes: ``python measure.py rules [rows]``, the best of five runs."""

import random
import sys
import time
from decimal import Decimal

import pyarrow as pa

import bareme

FIELDS = {"salaire": ["net", "cotisations_salariales"], "salaire-net/ci": ["net_mensuel", "its_net"]}
GREATEST = {"salaire": 600_000, "salaire-net/ci": 500_000_000}


def payslips(name: str, rows: int) -> pa.Table:
    """Gross salaries, always the same ones."""
    draw = random.Random(name)
    amounts = [Decimal(draw.randrange(200_000, GREATEST[name])).scaleb(-2) for _ in range(rows)]
    if name != "salaire":
        amounts = [amount.to_integral_value() for amount in amounts]
    table = pa.table({"brut": pa.array(amounts, pa.decimal128(12, 2))})
    if name == "salaire":
        return table.append_column("cadre", pa.array([draw.randrange(4) == 0 for _ in range(rows)]))
    return table.append_column("parts", pa.array([Decimal(draw.randrange(2, 11)) / 2 for _ in range(rows)], pa.decimal128(3, 1)))


def main() -> None:
    """Prints a line for each endpoint."""
    rules = bareme.load(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    for name, fields in FIELDS.items():
        plan, table, times = rules.plan(name, fields=fields, date="2026-03-31"), payslips(name, rows), []
        for _ in range(5):
            start = time.perf_counter()
            answers = plan(table)
            times.append(time.perf_counter() - start)
        refused = rows - answers["erreur"].null_count
        print(f"{name}: {rows / min(times):,.0f} rows/s, {refused} of {rows} rows refused")


if __name__ == "__main__":
    main()
