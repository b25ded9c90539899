"""Compares the tax of random households that a service answers with that of OpenFisca-France.

    python tests/openfisca/compare.py http://127.0.0.1:8080 --households 500

For each year of income it prints how many households OpenFisca has at the same amounts as
published, how many once what `deviations.py` lists is corrected, and by how many each deviation is
needed. It prints what remains, each with its query, and ends with 1 where anything does. README.md
has the table of the deviations; `--write` writes it there.
"""

import argparse
import collections
import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np

import law
from deviations import DEVIATIONS, NAMES
from draw import household
from peer import AMOUNTS, amounts

YEARS = [2022, 2023, 2024, 2025]
"""Years of the incomes: each has the scale of the next year."""
ROWS = 250
"""Households of a request."""
SHOWN = 20
"""Households that are printed."""
MANUAL = Path(__file__).with_name("README.md")
MARKS = ("<!-- deviations -->\n", "<!-- end -->\n")


def answers(service, households, year):
    """The same amounts of each household by `/foyer`; each is answered, or the program is wrong."""
    rows = []
    for start in range(0, len(households), ROWS):
        body = json.dumps(
            [{**query, "annee": year + 1} for query in households[start : start + ROWS]]
        )
        request = Request(
            f"{service}/api/v1/lot/foyer", body.encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=120) as response:
            rows += json.load(response)
    refused = [(query, row) for query, row in zip(households, rows) if "erreur" in row]
    if refused:
        sys.exit(f"{len(refused)} households are refused, the first: {refused[0]}")
    return np.array([[float(row[field]) for _, field, _, _ in AMOUNTS] for row in rows])


def differs(ours, theirs):
    """Which households differ, and in which amounts."""
    return np.abs(ours - theirs) > np.array([rounding for _, _, _, rounding in AMOUNTS]) + 0.001


class Comparison:
    """The households of a year, here and there."""

    def __init__(self, base, service, year, count, seed):
        self.base, self.year = base, year
        self.households = [household(f"{seed} {year} {number}") for number in range(count)]
        self.ours = answers(service, self.households, year)
        self.published = self.difference(frozenset())
        self.corrected = self.difference(NAMES)

    def theirs(self, corrected):
        return amounts(law.system(self.base, corrected), self.households, self.year)

    def difference(self, corrected):
        return differs(self.ours, self.theirs(corrected))

    def needed(self):
        """How many households differ again where a single deviation is left."""
        return {
            name: int(self.difference(NAMES - {name}).any(axis=1).sum()) for name in sorted(NAMES)
        }

    def print_what_remains(self):
        unexplained = np.flatnonzero(self.corrected.any(axis=1))
        theirs = self.theirs(NAMES)
        for number in unexplained[:SHOWN]:
            which = np.flatnonzero(self.corrected[number])
            gaps = [
                f"{AMOUNTS[one][0]} {self.ours[number][one]:g} here, {theirs[number][one]:g} there"
                for one in which
            ]
            query = "&".join(
                f"{name}={written(value)}" for name, value in self.households[number].items()
            )
            print(f"  {'; '.join(gaps)}\n    /foyer?annee={self.year + 1}&{query}")
        return len(unexplained)


def written(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def table():
    """The deviations, as the manual lists them."""
    rows = [
        f"| `{one.name}` | {one.article} | {one.openfisca} | {one.law} |\n" for one in DEVIATIONS
    ]
    return "".join(
        ["| Deviation | Article | OpenFisca | Law, and `/foyer` |\n", "|---|---|---|---|\n", *rows]
    )


def manual_holds_the_table(write):
    before, rest = MANUAL.read_text().split(MARKS[0])
    listed, after = rest.split(MARKS[1])
    if write:
        MANUAL.write_text(before + MARKS[0] + table() + MARKS[1] + after)
    return write or listed == table()


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("service", nargs="?", help="address of a service")
    parser.add_argument("--households", type=int, default=500, help="of each year")
    parser.add_argument("--years", type=int, nargs="+", default=YEARS, help="of the incomes")
    parser.add_argument("--seed", default="1", help="draws other households")
    parser.add_argument(
        "--brief", action="store_true", help="not how many households need each deviation"
    )
    parser.add_argument("--write", action="store_true", help="writes the table of README.md")
    return parser.parse_args()


def print_needed(needed):
    """A line for each deviation: how many households of each year need it."""
    print("\nhouseholds that need each deviation" + "".join(f"{year:>6}" for year in needed))
    for one in DEVIATIONS:
        counts = [of_year[one.name] for of_year in needed.values()]
        print(f"{one.name:<35}" + "".join(f"{count:>6}" for count in counts))


def main():
    chosen = options()
    if not manual_holds_the_table(chosen.write):
        sys.exit("README.md has another table than deviations.py: --write writes it")
    if chosen.service is None:
        return

    base = law.published_system()
    needed, remaining = {}, 0
    differ = collections.Counter()
    for year in chosen.years:
        comparison = Comparison(base, chosen.service, year, chosen.households, chosen.seed)
        equal = [
            int((~one.any(axis=1)).sum()) for one in (comparison.published, comparison.corrected)
        ]
        print(
            f"income of {year}: {chosen.households} households, "
            f"{equal[0]} equal as published, {equal[1]} corrected"
        )
        for (name, *_), count in zip(AMOUNTS, comparison.published.sum(axis=0)):
            differ[name] += int(count)
        remaining += comparison.print_what_remains()
        if not chosen.brief:
            needed[year] = comparison.needed()

    listed = ", ".join(f"{name} {count}" for name, count in differ.items())
    print(f"\ndiffer as published: {listed}")
    if needed:
        print_needed(needed)
    compared = chosen.households * len(chosen.years)
    print(f"\n{compared} households compared, {remaining} differences unexplained")
    sys.exit(0 if remaining == 0 else 1)


if __name__ == "__main__":
    main()
