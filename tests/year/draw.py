"""Random years: uneven pays, hirings and departures, absences, bonuses, overtime, changing rates of withholding."""

import calendar
from fractions import Fraction

from france import Month, Year

# Monthly pays around which the law changes: minimum wages, reduced rates, ceilings and their multiples, exits.
NEAR = (1747, 1823, 2100, 2735, 2827, 3666, 3864, 3925, 4005, 4054, 4368, 5469, 5946, 6115, 14664, 16020, 32040)


def cents(random, least, most):
    return Fraction(random.randint(int(least * 100), int(most * 100)), 100)


def usual_pay(random):
    kind = random.random()
    if kind < 0.4:
        return random.choice(NEAR) * cents(random, 0.97, 1.03)
    if kind < 0.8:
        return cents(random, 900, 6500)
    if kind < 0.95:
        return cents(random, 6500, 45000)
    return cents(random, 0, 900)


def to_cents(amount):
    return Fraction(round(amount * 100), 100)


def draw(random):
    """A year of one to twelve months."""
    number = random.choice((2023, 2024, 2025, 2025, 2026))
    first = 1 if random.random() < 0.6 else random.randint(1, 12)
    last = 12 if random.random() < 0.6 else random.randint(first, 12)
    hired_during, leaves = first > 1 or random.random() < 0.2, last < 12 and random.random() < 0.8 or random.random() < 0.1
    usual, works_overtime = to_cents(usual_pay(random)), random.random() < 0.4
    withholding = random.choice((None, "neutre", "rate"))
    if withholding == "rate":
        withholding = cents(random, 0, 25) / 100
    changed = cents(random, 0, 25) / 100
    months = []
    for place in range(first, last + 1):
        length = calendar.monthrange(number, place)[1]
        if random.random() < 0.12:
            usual = to_cents(usual * cents(random, 0.8, 1.4))
        month = Month(pay=usual)
        kind = random.random()
        if kind < 0.1:
            month.bonus = cents(random, 0, 2.5 * float(usual) + 50)
        elif kind < 0.14:
            month.bonus = cents(random, 0, 60000)
        if hired_during and place == first and random.random() < 0.7:
            shorten(random, month, length)
        elif leaves and place == last and random.random() < 0.7:
            shorten(random, month, length)
        elif random.random() < 0.08:
            shorten(random, month, length)
        elif random.random() < 0.03:
            # Hours lost on days that are paid.
            month.full_pay = month.pay
            month.pay = to_cents(month.pay * cents(random, 0.3, 1))
        elif random.random() < 0.03:
            # Another pay altogether, or none.
            month.pay = to_cents(usual_pay(random)) if random.random() < 0.7 else Fraction(0)
        if works_overtime and random.random() < 0.7:
            month.overtime = random.choice((Fraction(random.randint(0, 40)), cents(random, 0, 60)))
            month.overtime_50 = Fraction(random.randint(0, 8)) if random.random() < 0.3 else Fraction(0)
        if withholding is not None:
            month.withholding = changed if place >= 9 and withholding != "neutre" else withholding
            if random.random() < 0.05:
                month.withholding = random.choice((None, "neutre", changed))
        months.append(month)
    return Year(number, months, first=first, leaves=leaves, **of_the_year(random, number))


def shorten(random, month, length):
    """A month of which some days are neither worked nor paid."""
    month.days = random.randint(0, length - 1)
    month.full_pay = month.pay
    month.pay = to_cents(month.full_pay * month.days / length) if random.random() < 0.8 else to_cents(month.full_pay * cents(random, 0, 1))


def of_the_year(random, number):
    """What does not vary from month to month."""
    values = {
        "executive": random.random() < 0.35,
        "alsace": random.random() < 0.1,
        "headcount": random.choice((1, 10, 10, 11, 15, 19, 20, 30, 49, 50, 60, 120, 249, 250, 800)),
        "settlement": random.choice(("progressive", "annuelle")),
    }
    if random.random() < 0.3:
        values["health_employee"], values["health_employer"] = cents(random, 0, 80), cents(random, 0, 80)
    if random.random() < 0.3:
        values["provident_employee"], values["provident_employer"] = cents(random, 0, 120), cents(random, 0, 150)
    if random.random() < 0.5:
        values["accidents"] = cents(random, 0, 6) / 100 if random.random() < 0.6 else cents(random, 0.3, 0.6) / 100
    if random.random() < 0.4:
        values["mobility"] = cents(random, 0, 3.2) / 100
    if random.random() < 0.3:
        values["increase"] = cents(random, 10, 50) / 100
    if number == 2025:
        values["change"] = random.choice(("periodes", "moyenne"))
    return values
