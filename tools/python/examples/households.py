"""Writes households for the examples, always the same ones: ``python households.py households.parquet [rows]``.

Three rows in a hundred are wrong on purpose: an income that is missing or negative, shares or a situation that do not
exist, a couple with the shares of one person.
"""

import random
import sys
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 200_000
SEED = 20_260_331
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("revenu", pa.decimal128(12, 2)),
        pa.field("parts", pa.decimal128(4, 2)),
        pa.field("situation", pa.string()),
    ]
)
WRONG = [
    (None, Decimal("1.00"), "celibataire"),
    (Decimal("-1.00"), Decimal("1.00"), "celibataire"),
    (Decimal("30000.00"), Decimal("1.10"), "celibataire"),
    (Decimal("30000.00"), Decimal("2.00"), "marie"),
    (Decimal("30000.00"), Decimal("1.00"), "couple"),
]


def household(draw: random.Random) -> tuple:
    """The income, the shares and the situation of one household."""
    if draw.randrange(100) < 3:
        return WRONG[draw.randrange(len(WRONG))]
    income = Decimal(draw.randrange(0, 15_000_000)).scaleb(-2)
    halves = draw.randrange(0, 6)
    if draw.randrange(10) == 0:
        return income, None, None
    if draw.randrange(2) == 0:
        return income, (Decimal(2) + Decimal(halves) / 2).quantize(Decimal("0.01")), "couple"
    situation = "celibataire" if halves == 0 else "parent_isole"
    return income, (Decimal(1) + Decimal(halves) / 2).quantize(Decimal("0.01")), situation


def write(path: str, rows: int = ROWS) -> None:
    """Writes the households to a Parquet file."""
    draw = random.Random(SEED)
    columns = zip(*(household(draw) for _ in range(rows)))
    arrays = [pa.array(column, field.type) for column, field in zip([range(rows), *columns], SCHEMA)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA), path, row_group_size=50_000)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else ROWS)
