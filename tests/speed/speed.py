"""Nanoseconds a row of the income tax of 2026 in columns, beside the same law written by hand for other engines.

``speed.py [--rows N] [--only ENGINE ...]``, on one processor. Each engine gets a table that is in memory, in the
form that it computes with, and gives a column. Its rows are compared with exact integers: a rate of equal rows stands
beside each time, since a quick tax that is wrong is none.
"""

import argparse
import importlib.util
import os
import sys
import time
from typing import Callable, NamedTuple

import numpy as np
import pyarrow as pa

DAY = "2026-06-30"

# CGI, art. 197, I (loi n° 2026-103, art. 4), in euros and in percent: income of a share up to which a rate holds.
BRACKETS = [(11_600, 0), (29_579, 11), (84_577, 30), (181_917, 41), (None, 45)]
# The ceiling of a half share; the discount (décote), alone and as a couple, less 45.25 % of the tax; the least tax.
HALF_SHARE, ALONE, COUPLE, RATE, LEAST = 1_807, 897, 1_483, 4_525, 61


class Households(NamedTuple):
    """Taxable incomes in cents, and half shares: 2 and 3 are a person, 4 and more a couple."""

    income: np.ndarray
    halves: np.ndarray

    @staticmethod
    def drawn(rows: int) -> "Households":
        random = np.random.default_rng(2026)
        return Households(random.integers(0, 15_000_000, rows), random.integers(2, 7, rows))


def slices():
    """The rate of each bracket with its bounds; the last has none above."""
    lows = [0, *(bound for bound, _ in BRACKETS[:-1])]
    return [(rate, low, bound) for low, (bound, rate) in zip(lows, BRACKETS) if rate]


# Each engine gives a function without arguments, which computes a column of whole euros.


def numpy_float(households: Households) -> Callable:
    """Binary floats, as a notebook would."""
    income, shares = households.income / 100, households.halves / 2

    def rounded(amount):
        return np.floor(amount + 0.5)

    def by_brackets(base, shares):
        tax = np.zeros(len(base))
        for rate, low, bound in slices():
            top = base if bound is None else np.minimum(base, bound * shares)
            tax += rate / 100 * np.maximum(top - low * shares, 0)
        return rounded(tax)

    def tax():
        base = rounded(income)
        is_couple = shares >= 2
        reference = np.where(is_couple, 2, 1)
        capped = by_brackets(base, reference) - HALF_SHARE * 2 * (shares - reference)
        gross = np.maximum(by_brackets(base, shares), capped)
        discount = np.where(is_couple, COUPLE, ALONE) - RATE / 10_000 * gross
        net = gross - rounded(np.minimum(np.maximum(discount, 0), gross))
        return np.where(net >= LEAST, net, 0)

    return tax


def numpy_integers(households: Households) -> Callable:
    """Exact: 64-bit integers of half shares, percents and ten-thousandths."""
    income, halves = households

    def by_brackets(base, halves):
        twice = np.zeros(len(base), dtype=np.int64)
        for rate, low, bound in slices():
            top = 2 * base if bound is None else np.minimum(2 * base, bound * halves)
            twice += rate * np.maximum(top - low * halves, 0)
        return (twice + 100) // 200

    def tax():
        base = (income + 50) // 100
        is_couple = halves >= 4
        reference = np.where(is_couple, 4, 2)
        capped = by_brackets(base, reference) - HALF_SHARE * (halves - reference)
        gross = np.maximum(by_brackets(base, halves), capped)
        discount = np.where(is_couple, COUPLE, ALONE) * 10_000 - RATE * gross
        net = gross - (np.minimum(np.maximum(discount, 0), gross * 10_000) + 5_000) // 10_000
        return np.where(net >= LEAST, net, 0)

    return tax


def numba(households: Households) -> Callable:
    """The same integers, compiled, a row after the other."""
    from numba import njit

    rates, lows, bounds = (np.array(column) for column in zip(*((r, l, b or 2**40) for r, l, b in slices())))

    @njit
    def by_brackets(base, halves):
        twice = 0
        for place in range(len(rates)):
            top = min(2 * base, bounds[place] * halves)
            twice += rates[place] * max(top - lows[place] * halves, 0)
        return (twice + 100) // 200

    @njit
    def all_rows(income, halves):
        nets = np.empty(len(income), dtype=np.int64)
        for row in range(len(income)):
            base, own = (income[row] + 50) // 100, halves[row]
            reference, start = (4, COUPLE) if own >= 4 else (2, ALONE)
            capped = by_brackets(base, reference) - HALF_SHARE * (own - reference)
            gross = max(by_brackets(base, own), capped)
            discount = min(max(start * 10_000 - RATE * gross, 0), gross * 10_000)
            net = gross - (discount + 5_000) // 10_000
            nets[row] = net if net >= LEAST else 0
        return nets

    # Compiled before the clock runs.
    all_rows(*(column[:1] for column in households))
    return lambda: all_rows(*households)


def polars(households: Households) -> Callable:
    """Exact integers in expressions of Polars."""
    import polars as pl

    frame = pl.DataFrame(households._asdict())
    income, halves = pl.col("income"), pl.col("halves")

    def least(one, other):
        return pl.min_horizontal(one, other)

    def most(one, other):
        return pl.max_horizontal(one, other)

    def by_brackets(base, halves):
        parts = (
            rate * most((2 * base if bound is None else least(2 * base, bound * halves)) - low * halves, 0)
            for rate, low, bound in slices()
        )
        return (sum(parts) + 100) // 200

    base = (income + 50) // 100
    is_couple = halves >= 4
    reference = pl.when(is_couple).then(4).otherwise(2)
    capped = by_brackets(base, reference) - HALF_SHARE * (halves - reference)
    gross = pl.col("gross")
    discount = pl.when(is_couple).then(COUPLE).otherwise(ALONE) * 10_000 - RATE * gross
    net = gross - (least(most(discount, 0), gross * 10_000) + 5_000) // 10_000

    query = frame.lazy().select("halves", gross=most(by_brackets(base, halves), capped))
    query = query.select(net=net).select(pl.when(pl.col("net") >= LEAST).then("net").otherwise(0))
    return lambda: query.collect()["net"].to_numpy()


def duckdb(households: Households) -> Callable:
    """Exact integers in SQL."""
    import duckdb as database

    connection = database.connect()
    connection.execute("SET threads = 1")
    connection.register("given", pa.table(households._asdict()))
    connection.execute("CREATE TABLE households AS SELECT * FROM given")

    def by_brackets(halves):
        parts = (
            f"{rate} * greatest("
            + ("2 * base" if bound is None else f"least(2 * base, {bound} * {halves})")
            + f" - {low} * {halves}, 0)"
            for rate, low, bound in slices()
        )
        return f"({' + '.join(parts)} + 100) // 200"

    sql = f"""
        WITH based AS (
            SELECT (income + 50) // 100 AS base, halves, if(halves >= 4, 4, 2) AS reference FROM households
        ), taxed AS (
            SELECT halves, greatest(
                {by_brackets("halves")}, {by_brackets("reference")} - {HALF_SHARE} * (halves - reference)
            ) AS gross FROM based
        ), discounted AS (
            SELECT gross - (least(greatest(if(halves >= 4, {COUPLE}, {ALONE}) * 10000 - {RATE} * gross, 0),
                gross * 10000) + 5000) // 10000 AS net FROM taxed
        )
        SELECT if(net >= {LEAST}, net, 0) AS net FROM discounted
    """
    return lambda: connection.sql(sql).fetchnumpy()["net"]


def openfisca(households: Households) -> Callable:
    """OpenFisca-France from the taxable income and the shares on: floats of 32 bits."""
    from openfisca_core.simulation_builder import SimulationBuilder
    from openfisca_france import FranceTaxBenefitSystem

    system = FranceTaxBenefitSystem()
    rows = len(households.income)
    couple = households.halves >= 4
    names = [str(row) for row in range(rows)]

    def tax():
        builder = SimulationBuilder()
        builder.create_entities(system)
        builder.declare_person_entity("individu", names)
        for entity, role in [
            ("foyer_fiscal", "declarant_principal"),
            ("famille", "demandeur"),
            ("menage", "personne_de_reference"),
        ]:
            population = builder.declare_entity(entity, names)
            builder.join_with_persons(population, np.array(names), np.full(rows, role))
        simulation = builder.build(system)
        # Incomes of 2025, which the scale of 2026 taxes.
        given = {
            "rni": np.floor(households.income / 100 + 0.5),
            "nbptr": households.halves / 2,
            "nb_adult": np.where(couple, 2, 1),
            "maries_ou_pacses": couple,
            "celibataire_ou_divorce": ~couple,
        }
        for name, values in given.items():
            simulation.set_input(name, "2025", values)
        net = np.floor(simulation.calculate("ip_net", "2025") + 0.5)
        return np.where(net >= LEAST, net, 0)

    return tax


def bareme(fields):
    """The scale itself: every rule of the method, whatever the row asks of it."""

    def of(households: Households) -> Callable:
        import bareme

        plan = bareme.load().plan("ir", fields=fields, date=DAY)
        table = pa.table(
            {
                "revenu": decimals(households.income, 2),
                "parts": decimals(households.halves * 5, 1),
            }
        )
        return lambda: plan(table)["impot_net"]

    return of


def decimals(numbers: np.ndarray, scale: int) -> pa.Array:
    """Integers as decimals of a scale, without a float between."""
    words = np.zeros((len(numbers), 2), dtype=np.int64)
    words[:, 0] = numbers
    return pa.Array.from_buffers(pa.decimal128(18, scale), len(numbers), [None, pa.py_buffer(words)])


class Engine(NamedTuple):
    make: Callable
    module: str
    is_exact: bool


ENGINES = {
    "bareme, one field": Engine(bareme(["impot_net"]), "bareme", True),
    "bareme, all fields": Engine(bareme(None), "bareme", True),
    "numpy, floats": Engine(numpy_float, "numpy", False),
    "numpy, integers": Engine(numpy_integers, "numpy", True),
    "numba": Engine(numba, "numba", True),
    "Polars": Engine(polars, "polars", True),
    "DuckDB": Engine(duckdb, "duckdb", True),
    "OpenFisca": Engine(openfisca, "openfisca_france", False),
}


def whole(column) -> np.ndarray:
    """A column as integers; an amount that is no whole euro is an error."""
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        column = column.cast(pa.decimal128(38, 0)).cast(pa.int64()).to_numpy()
    return np.asarray(column).astype(np.int64)


def measured(compute: Callable, repeats: int) -> float:
    """The least seconds of some runs: whatever else the machine does only adds to them."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        compute()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=ENGINES, default=list(ENGINES))
    options = parser.parse_args()

    households = Households.drawn(options.rows)
    expected = numpy_integers(households)()
    is_right = True
    print(f"{'':20}{'ns a row':>10}{'equal rows':>13}")
    for name in options.only:
        engine = ENGINES[name]
        if importlib.util.find_spec(engine.module) is None:
            print(f"{name:20}{'not installed':>23}")
            is_right = False
            continue
        compute = engine.make(households)
        equal = int((whole(compute()) == expected).sum())
        is_right &= equal == options.rows or not engine.is_exact
        nanoseconds = measured(compute, options.repeats) / options.rows * 1e9
        print(f"{name:20}{nanoseconds:10.0f}{equal / options.rows:13.4%}", flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    # One processor for each of them, before a library counts how many there are.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    sys.exit(main())
