# %% [markdown]
# # A reform, costed
#
# The second bracket of the income tax at 12 % in place of 11 %, on made-up households of one adult. An editor opens this
# file as a notebook, a cell at each `# %%`; `python reform.py` runs it from the first line to the last.

# %%
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import bareme

DAY = "2026-03-31"
rules = bareme.load()
reform = rules.with_figures({"ir.bareme[2].rate": "12%"}, since=DAY)
reform

# %%
incomes = [Decimal(12_000 + 613 * row) + Decimal(row % 100) / 100 for row in range(400)]
weights = [Decimal(100 + row % 7) / 10 for row in range(400)]
households = pa.table(
    {
        "revenu": pa.array(incomes, pa.decimal128(12, 2)),
        "poids": pa.array(weights, pa.decimal128(6, 1)),
    }
)
before, after = (one.plan("ir", date=DAY) for one in (rules, reform))
effect = bareme.impact(households, before, after, weight="poids", by="decile:revenu", rows=True)
effect

# %% [markdown]
# The same by fractions, from the articles: CGI, art. 197, I-1 (brackets) and I-4 (discount), art. 1657 (whole euros, nothing
# below 61), art. 223 sexies (3 % above 250 000 euros).


# %%
def whole(amount: Fraction) -> int:
    """The nearest euro, half upwards."""
    return int(amount + Fraction(1, 2))


def tax(income: Decimal, second: Fraction) -> int:
    """The tax of one adult, by the scale of 2026 with some rate of its second bracket."""
    base = whole(Fraction(income))
    bounds = [0, 11_600, 29_579, 84_577, 181_917, base]
    rates = [Fraction(0), second, Fraction(30, 100), Fraction(41, 100), Fraction(45, 100)]
    slices = (max(0, min(base, end) - start) for start, end in zip(bounds, bounds[1:]))
    gross = whole(sum(part * rate for part, rate in zip(slices, rates)))

    discount = min(gross, max(0, whole(897 - Fraction(4_525, 10_000) * gross)))
    net = gross - discount
    contribution = whole(Fraction(3, 100) * max(0, base - 250_000))
    return (net if net >= 61 else 0) + contribution


law, other = ([tax(income, Fraction(rate, 100)) for income in incomes] for rate in (11, 12))
cost = sum(Fraction(weight) * (new - old) for weight, old, new in zip(weights, law, other))

# %%
total = effect.totals.to_pylist()[0]
assert Fraction(total["difference"]) == cost, (total["difference"], cost)
assert Fraction(total["before_total"]) == sum(Fraction(weight) * old for weight, old in zip(weights, law))
assert [row["after"] for row in effect.rows.to_pylist()] == other
print(total["difference"])

# %% [markdown]
# The same reform for couples of whom the pays are known: twelve months of each pay, then the tax of the household, in one
# call; and by single calculations.

# %%
pays = [[Decimal(2_000 + 37 * row), Decimal(1_823 + 11 * row)] for row in range(40)]
person = pa.struct([("brut", pa.decimal128(10, 2))])
couples = pa.table(
    {
        "situation": ["couple"] * len(pays),
        "adultes": pa.array([[{"brut": one} for one in both] for both in pays], pa.list_(person)),
    }
)


def taxes(of: bareme.Rules) -> list[Decimal]:
    """The tax of each couple."""
    pay = of.plan("salaire", fields=["net_imposable"], date=DAY)
    home = of.plan("foyer", fields=["impot_net"], date=DAY)
    names = ["salaire", "salaire_conjoint"]
    chain = home.after(pay, each="adultes", give={"net_imposable": names}, months=12)
    return chain(couples)["impot_net"].to_pylist()


more = [new - old for old, new in zip(taxes(rules), taxes(reform))]
print(sum(more))

# %%
last = [12 * rules.calculate("salaire", brut=one, date=DAY)["net_imposable"] for one in pays[-1]]
by_hand = [
    of.calculate("foyer", situation="couple", salaire=last[0], salaire_conjoint=last[1], date=DAY)
    for of in (rules, reform)
]
assert more[-1] == by_hand[1]["impot_net"] - by_hand[0]["impot_net"] > 0
