"""The sums of a year of pays in Quebec (2026) and in Switzerland, from their texts: contributions up to the maximum of the
year, whatever each month pays. Every month starts again from the first one."""

from fractions import Fraction

from france import to_cents
from law import percent

# Quebec, 2026 (TP-1015.F and T4127): maxima of the year.
PENSION_EXEMPTION = Fraction("291.66")
"""A twelfth of 3 500, cut to the cent."""


def at_least_a_cent(amount):
    """A contribution above nothing is a cent at least."""
    rounded = to_cents(amount)
    return Fraction(1, 100) if amount > 0 and rounded == 0 else rounded


def up_to(maximum, pays, of_pay):
    """What each pay bears until the maximum of the year is reached."""
    paid, amounts = Fraction(0), []
    for pay in pays:
        amount = min(maximum - paid, of_pay(pay))
        paid += amount
        amounts.append(amount)
    return amounts


def quebec(pays):
    """Contributions of each month: the employee's, then the employer's."""
    pension = up_to(Fraction("4479.30"), pays, lambda pay: at_least_a_cent(max(pay - PENSION_EXEMPTION, 0) * percent("6.30")))
    parental = up_to(Fraction("442.90"), pays, lambda pay: at_least_a_cent(pay * percent("0.430")))
    insurance = up_to(Fraction("895.70"), pays, lambda pay: to_cents(pay * percent("1.30")))
    parental_employer = up_to(Fraction("620.06"), pays, lambda pay: to_cents(pay * percent("0.602")))
    months, second_paid = [], Fraction(0)
    for index, pay in enumerate(pays):
        earlier = sum(pays[:index], Fraction(0))
        above = max(earlier + pay - max(earlier, Fraction(74600)), 0)
        second = min(416 - second_paid, at_least_a_cent(above * percent(4)))
        second_paid += second
        insurable = max(min(pay, 103000 - earlier), 0)
        employee = {"rrq": pension[index], "rrq2": second, "rqap": parental[index], "ae": insurance[index]}
        employer = {
            "rrq_employeur": pension[index],
            "rrq2_employeur": second,
            "rqap_employeur": parental_employer[index],
            "ae_employeur": to_cents(insurance[index] * Fraction("1.4")),
            "fss": to_cents(pay * percent("1.65")),
            "cnesst": to_cents(insurable * percent("1.54")),
            "cnt": to_cents(insurable * percent("0.06")),
        }
        months.append((employee, employer))
    return months


SWISS_CEILING = 12350
"""A twelfth of the insured pay of a year, 148 200."""


def switzerland(pays, accident):
    """Unemployment insurance and accidents outside work, month by month, for an age of 18 to 65."""
    months, before = [], Fraction(0)
    for index in range(len(pays)):
        insured = min(sum(pays[: index + 1], Fraction(0)), (index + 1) * SWISS_CEILING)
        base, before = insured - before, insured
        months.append({"ac": to_cents(base * percent("1.1")), "laa_anp": to_cents(base * accident)})
    return months
