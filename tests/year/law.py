"""The figures of a French pay from 2023 to 2026, each with the day from which it is in force."""

from datetime import date
from fractions import Fraction

HOURS = Fraction(1820, 12)
"""Legal hours of a month."""

EXEMPT_OVERTIME = 8037
"""Overtime pay of a year that is free of income tax (CGI, art. 81 quater)."""


def percent(text):
    return Fraction(text) / 100


def _dated(*rows):
    """Values by the day from which they hold."""
    return [(date.fromisoformat(day), value) for day, value in rows]


CEILING = _dated(("2023-01-01", 3666), ("2024-01-01", 3864), ("2025-01-01", 3925), ("2026-01-01", 4005))

# The rise of 1 June 2026 does not count for the general reduction.
MINIMUM_WAGE = _dated(
    ("2023-01-01", Fraction("11.27")),
    ("2023-05-01", Fraction("11.52")),
    ("2024-01-01", Fraction("11.65")),
    ("2024-11-01", Fraction("11.88")),
    ("2026-01-01", Fraction("12.02")),
)

# Yearly pay up to which health and family contributions have their reduced rate.
THRESHOLDS = _dated(
    ("2023-01-01", (Fraction("51278.50"), Fraction("71789.90"))),
    ("2023-05-01", (Fraction("52416.00"), Fraction("73382.40"))),
    ("2025-01-01", (Fraction("48648.60"), Fraction("71351.28"))),
    ("2026-01-01", None),
)

# Exit in minimum wages, power, minimum, then the variable part below 50 employees and from 50.
REDUCTION = _dated(
    ("2023-01-01", (Fraction("1.6"), 1, 0, Fraction("0.3191"), Fraction("0.3231"))),
    ("2024-01-01", (Fraction("1.6"), 1, 0, Fraction("0.3194"), Fraction("0.3234"))),
    ("2025-05-01", (Fraction("1.6"), 1, 0, Fraction("0.3193"), Fraction("0.3233"))),
    ("2026-01-01", (Fraction(3), Fraction("1.75"), Fraction("0.02"), Fraction("0.3781"), Fraction("0.3821"))),
)

# Accidents at work: the part of the rate that the reduction counts, and the national mean.
ACCIDENTS = _dated(
    ("2023-01-01", (percent("0.55"), percent("2.24"))),
    ("2024-01-01", (percent("0.46"), percent("2.12"))),
    ("2025-05-01", (percent("0.50"), percent("2.12"))),
    ("2026-01-01", (percent("0.49"), percent("2.08"))),
)

OLD_AGE_WHOLE_PAY = _dated(("2023-01-01", percent("1.90")), ("2024-01-01", percent("2.02")), ("2026-01-01", percent("2.11")))
UNEMPLOYMENT = _dated(("2023-01-01", percent("4.05")), ("2025-05-01", percent("4.00")))
WAGE_GUARANTEE = _dated(("2023-01-01", percent("0.15")), ("2024-01-01", percent("0.20")), ("2024-07-01", percent("0.25")))
DEDUCTION_250 = _dated(("2023-01-01", Fraction(0)), ("2026-01-01", Fraction("0.50")))

RATES = "0 0.5 1.3 2.1 2.9 3.5 4.1 5.3 7.5 9.9 11.9 13.8 15.8 17.9 20 24 28 33 38 43".split()
# Taxable pay of the month below which each rate holds; the last rate has no bound.
WITHHOLDING = _dated(
    ("2023-01-01", "1518 1577 1678 1791 1914 2016 2150 2544 2912 3317 3734 4357 5224 6537 8165 11333 15349 24094 51611"),
    ("2024-01-01", "1591 1653 1759 1877 2006 2113 2253 2666 3052 3476 3913 4566 5475 6851 8557 11877 16086 25251 54088"),
    ("2025-05-01", "1620 1683 1791 1911 2042 2151 2294 2714 3107 3539 3983 4648 5574 6974 8711 12091 16376 25706 55062"),
    ("2026-05-01", "1635 1698 1807 1928 2060 2170 2315 2738 3135 3571 4019 4690 5624 7037 8789 12200 16523 25937 55558"),
)


def at(values, day):
    """What holds on a day."""
    return [value for start, value in values if start <= day][-1]


def default_rate(taxable, day):
    """Rate of the withholding where the tax office has given none."""
    bounds = at(WITHHOLDING, day).split()
    for bound, rate in zip(bounds, RATES):
        if taxable < int(bound):
            return percent(rate)
    return percent(RATES[-1])
