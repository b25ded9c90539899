"""Measures what payslips cost: ``python measure.py rules [rows]``, the best of five runs.

The time that passes depends on what else the machine does; the time of the processors, of all threads together, much less.
"""

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
        plan, table = rules.plan(name, fields=fields, date="2026-03-31"), payslips(name, rows)
        passed, spent = [], []
        for _ in range(5):
            start, start_of_processors = time.perf_counter(), time.process_time()
            answers = plan(table)
            passed.append(time.perf_counter() - start)
            spent.append(time.process_time() - start_of_processors)
        refused = rows - answers["erreur"].null_count
        per_row = min(spent) / rows * 1e9
        print(f"{name}: {rows / min(passed):,.0f} rows/s, {per_row:.0f} ns of processor a row, {refused} of {rows} rows refused")


if __name__ == "__main__":
    main()
