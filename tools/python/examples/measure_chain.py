"""How long households take: the pays of their adults, their tax, and the tax on their wealth, in one call:
``python measure_chain.py 1000000``. Prints the seconds of the clock and those of all processors."""

import sys
import time

import bareme
import numpy as np
import pyarrow as pa

DAY = "2026-03-31"
count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000


def cents(values: np.ndarray) -> pa.Array:
    """Cents as amounts, exactly."""
    halves = np.zeros((len(values), 2), np.int64)
    halves[:, 0] = values
    buffers = [None, pa.py_buffer(halves.tobytes())]
    return pa.Array.from_buffers(pa.decimal128(12, 2), len(values), buffers)


random = np.random.default_rng(1)
adults = random.integers(1, 3, count)
ends = np.concatenate([[0], np.cumsum(adults)]).astype(np.int32)
gross = cents(random.integers(180_000, 600_000, int(ends[-1])))
persons = pa.ListArray.from_arrays(pa.array(ends), pa.StructArray.from_arrays([gross], ["brut"]))
table = pa.table(
    {
        "situation": pa.array(np.where(adults == 2, "couple", "celibataire")),
        "enfants": pa.array(random.integers(0, 4, count)),
        "adultes": persons,
        "patrimoine": cents(random.integers(0, 300_000_000, count)),
    }
)

rules = bareme.load()
pay = rules.plan("salaire", fields=["net_imposable"], date=DAY, remarks=False)
home = rules.plan("foyer", fields=["impot_net", "revenu_imposable"], date=DAY, remarks=False)
taxed = home.after(pay, each="adultes", give={"net_imposable": ["salaire", "salaire_conjoint"]}, months=12)
wealth = rules.plan("ifi", fields=["ifi"], date=DAY, remarks=False)
chain = wealth.after(taxed, give={"impot_net": "impots", "revenu_imposable": "revenus"})

for name, plan, rows in [("salaire, foyer", taxed, table.drop_columns("patrimoine")), ("salaire, foyer, ifi", chain, table)]:
    best = None
    for _ in range(3):
        start, used = time.perf_counter(), time.process_time()
        answers = plan(rows)
        taken = time.process_time() - used, time.perf_counter() - start
        best = min(best or taken, taken)
    refused = len(answers) - answers["erreur"].null_count
    print(f"{name}: {count} households, {refused} refused: {best[1]:.2f} s, {best[0]:.2f} s of processor, {1e9 * best[0] / count:.0f} ns a household")
