"""A French year of pays, from the texts and without any code of the engine.

Every month starts again from the first month of the list: what the law sums is summed anew, and nothing is carried
from one month to the next, so that a wrong carry cannot agree with itself.
"""

import calendar
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction

import law
from law import percent


def to_cents(value, places=2):
    """Half away from zero."""
    scaled = abs(Fraction(value)) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if value >= 0 else -whole, 10**places)


def to_the_power(value, power):
    """A power in quarters, to 60 digits."""
    if power == 1:
        return value
    with localcontext() as context:
        context.prec = 60
        root = (Decimal(value.numerator) / Decimal(value.denominator)).sqrt().sqrt()
        return Fraction(root ** int(power * 4))


@dataclass
class Month:
    """What a month of the year says of itself."""

    pay: Fraction
    bonus: Fraction = Fraction(0)
    overtime: Fraction = Fraction(0)
    overtime_50: Fraction = Fraction(0)
    days: int | None = None
    full_pay: Fraction | None = None
    withholding: object = None
    """A share, "neutre", or nothing."""


@dataclass
class Year:
    """What holds for all the months."""

    year: int
    months: list
    first: int = 1
    executive: bool = False
    alsace: bool = False
    health_employee: Fraction = Fraction(0)
    health_employer: Fraction = Fraction(0)
    provident_employee: Fraction = Fraction(0)
    provident_employer: Fraction = Fraction(0)
    headcount: int = 10
    accidents: Fraction | None = None
    mobility: Fraction = Fraction(0)
    increase: Fraction = Fraction(1, 4)
    settlement: str = "progressive"
    leaves: bool = False
    change: str = "periodes"
    dated: list = field(default_factory=list)

    def __post_init__(self):
        self.dated = [Dated(self, index, month) for index, month in enumerate(self.months)]


class Dated:
    """A month with its calendar, and what it is worth alone."""

    def __init__(self, year, index, month):
        self.index, self.number = index, year.first + index
        self.length = calendar.monthrange(year.year, self.number)[1]
        # The scale of a month is that of its last day.
        self.day = date(year.year, self.number, self.length)
        self.month = month
        self.full_pay = month.pay if month.full_pay is None else month.full_pay
        hourly = self.full_pay / law.HOURS
        self.overtime_pay = to_cents(month.overtime * hourly * (1 + year.increase)) + to_cents(month.overtime_50 * hourly * Fraction("1.5"))
        self.gross = month.pay + month.bonus + self.overtime_pay
        days = self.length if month.days is None else month.days
        self.ceiling = Fraction(law.at(law.CEILING, self.day) * days, self.length)
        # An unpaid month leaves no minimum wage.
        worked = law.HOURS * month.pay / self.full_pay if self.full_pay else 0
        self.hours = worked + month.overtime + month.overtime_50
        self.minimum_wage = law.at(law.MINIMUM_WAGE, self.day) * self.hours
        counted, mean = law.at(law.ACCIDENTS, self.day)
        self.accidents = mean if year.accidents is None else year.accidents
        _, _, _, small, large = law.at(law.REDUCTION, self.day)
        self.delta = (small if year.headcount < 50 else large) - max(counted - self.accidents, 0)


def total(months, name):
    return sum((getattr(month, name) for month in months), Fraction(0))


def by_step(months, function):
    """What a function of the months so far gives now, less what it gave a month ago."""
    before = function(months[:-1]) if len(months) > 1 else 0
    return function(months) - before


def tranche_1(months):
    return min(total(months, "gross"), total(months, "ceiling"))


def tranche_2(months):
    ceilings = total(months, "ceiling")
    return max(min(total(months, "gross"), 8 * ceilings) - ceilings, 0)


def balance_base(months):
    """Base of the balance contribution: the whole pay once it exceeds the ceilings."""
    gross, ceilings = total(months, "gross"), total(months, "ceiling")
    return min(gross, 8 * ceilings) if gross > ceilings else 0


def four_ceilings(months):
    return min(total(months, "gross"), 4 * total(months, "ceiling"))


def csg_base(months):
    limited = four_ceilings(months)
    return percent("98.25") * limited + total(months, "gross") - limited


def exempt_overtime(months):
    return min(total(months, "overtime_pay"), law.EXEMPT_OVERTIME)


def compute(year):
    """The months of a year: amounts of the answer by their names there, exact."""
    return [compute_month(year, year.dated[: index + 1]) for index in range(len(year.dated))]


def compute_month(year, months):
    now = months[-1]
    bases = {
        "tranche_1": by_step(months, tranche_1),
        "tranche_2": by_step(months, tranche_2),
        "assiette_cet": by_step(months, balance_base),
        "quatre_plafonds": by_step(months, four_ceilings),
        "heures_exonerees": by_step(months, exempt_overtime),
    }
    lines, result = employee(year, now, bases, by_step(months, csg_base))
    result.update(bases)
    result.update({
        "mois": now.number,
        "brut_total": now.gross,
        "primes": now.month.bonus,
        "cumul_brut": total(months, "gross"),
        "cumul_plafond": total(months, "ceiling"),
        "plafond_securite_sociale": now.ceiling,
        "smic_mois": now.minimum_wage,
        "detail": lines,
    })
    employer(year, months, result)
    return result


def employee(year, now, bases, csg):
    first, second, balance = bases["tranche_1"], bases["tranche_2"], bases["assiette_cet"]
    exempt = bases["heures_exonerees"]
    base = to_cents(csg + year.health_employer + year.provident_employer)
    base_overtime = to_cents(percent("98.25") * exempt)
    rest = base - base_overtime
    lines = {
        "vieillesse_plafonnee": first * percent("6.90"),
        "vieillesse_deplafonnee": now.gross * percent("0.40"),
        "complementaire_t1": first * percent("4.01"),
        "complementaire_t2": second * percent("9.72"),
        "cet": balance * percent("0.14"),
        "apec": bases["quatre_plafonds"] * percent("0.024") if year.executive else 0,
        "maladie_alsace_moselle": now.gross * percent("1.30") if year.alsace else 0,
        "mutuelle": year.health_employee,
        "prevoyance": year.provident_employee,
        "csg_deductible": rest * percent("6.8"),
        "csg_crds_non_deductible": rest * percent("2.9"),
        "csg_crds_heures_supplementaires": base_overtime * percent("9.7"),
    }
    pensions = [lines[name] for name in ("vieillesse_plafonnee", "vieillesse_deplafonnee", "complementaire_t1", "complementaire_t2", "cet")]
    rate = min(max(sum(pensions) / now.gross, 0), percent("11.31")) if now.gross else 0
    lines = {name: to_cents(amount) for name, amount in lines.items()}
    old_age = lines["vieillesse_plafonnee"] + lines["vieillesse_deplafonnee"]
    lines["reduction_heures_supplementaires"] = -min(to_cents(now.overtime_pay * rate), old_age)
    contributions = sum(lines.values())
    net = now.gross - contributions
    undeducted = lines["csg_crds_non_deductible"] + lines["csg_crds_heures_supplementaires"]
    taxable = net + undeducted + year.health_employer - exempt
    result = {
        "cotisations_salariales": contributions,
        "net": net,
        "assiette_csg_crds": base,
        "net_imposable": taxable,
        "taux_cotisations": to_cents(contributions / now.gross, 4) if now.gross else 0,
    }
    if now.day >= date(2023, 7, 1):
        added = year.provident_employer + year.provident_employee if now.day.year == 2023 else 0
        result["montant_net_social"] = net + added
    withholding = now.month.withholding
    if withholding is not None:
        taxed = max(taxable, Fraction(0))
        share = law.default_rate(taxed, now.day) if withholding == "neutre" else withholding
        result["taux_pas"] = share
        result["impot_preleve"] = to_cents(taxed * share)
        result["net_apres_impot"] = net - result["impot_preleve"]
    return lines, result


def settled_last(year, now):
    """Whether what is settled once is settled with this pay."""
    return now.number == 12 or (year.leaves and now.index == len(year.dated) - 1)


def supplement(year, months, which):
    """Part of the pay of the last of these months that bears the full rate of health or family."""

    def exceeded(some):
        gross = total(some, "gross")
        limit = sum((law.at(law.THRESHOLDS, month.day)[which] / 12 * month.hours / law.HOURS for month in some), Fraction(0))
        return gross if gross > limit else 0

    now = months[-1]
    if year.settlement == "progressive":
        return by_step(months, exceeded)
    if not settled_last(year, now):
        return exceeded([now])
    return exceeded(months) - sum(exceeded([month]) for month in months[:-1])


def coefficient(gross, minimum_wage, day, delta):
    exit_at, power, minimum, _, _ = law.at(law.REDUCTION, day)
    if gross == 0 or gross >= exit_at * minimum_wage:
        return Fraction(0)
    ratio = min((exit_at * minimum_wage / gross - 1) / (exit_at - 1), Fraction(1))
    return to_cents(minimum + delta * to_the_power(ratio, power), 4)


def one_delta(year):
    """The mean of the months' values, where the caller asks for one value in 2025."""
    return to_cents(total(year.dated, "delta") / len(year.dated), 4)


def is_averaged(year):
    return year.year == 2025 and year.change == "moyenne"


def granted_so_far(year, months):
    """Coefficient of the last of these months, amount granted with it and before it, in its stretch."""
    now = months[-1]
    averaged = is_averaged(year)
    stretch = months if averaged else [month for month in months if month.delta == now.delta]
    delta = one_delta(year) if averaged else now.delta

    def alone(month):
        share = coefficient(month.gross, month.minimum_wage, month.day, delta)
        return share, to_cents(month.gross * share)

    gross = total(stretch, "gross")
    share = coefficient(gross, total(stretch, "minimum_wage"), now.day, delta)
    summed = to_cents(gross * share)
    if year.settlement == "progressive":
        return share, summed
    # The next month may be another stretch: this pay then settles the one that it ends.
    following = year.dated[now.index + 1 : now.index + 2]
    ends_stretch = not averaged and (now.number == 4 and year.year == 2025 or any(month.delta != now.delta for month in following))
    if settled_last(year, now) or ends_stretch:
        return share, summed
    return alone(now)[0], sum(alone(month)[1] for month in stretch)


def reduction(year, months):
    """Coefficient, amount so far in the stretch, amount of the month."""
    share, so_far = granted_so_far(year, months)
    before = months[:-1]
    same = before and (before[-1].delta == months[-1].delta or year.change == "moyenne")
    earlier = granted_so_far(year, before)[1] if same else 0
    return share, so_far, so_far - earlier


def employer(year, months, result):
    now = months[-1]
    gross, first = now.gross, result["tranche_1"]
    count, day = year.headcount, now.day
    reduced_until = law.at(law.THRESHOLDS, day)
    if reduced_until is None:
        health, family = gross * percent(13), gross * percent("5.25")
    else:
        health = gross * percent(7) + supplement(year, months, 0) * percent(6)
        family = gross * percent("3.45") + supplement(year, months, 1) * percent("1.80")
    provident = year.provident_employer
    if year.executive and not provident:
        # Owed even where no cover is given; one that is given counts as it is.
        provident = to_cents(first * percent("1.50"))
    four = result["quatre_plafonds"]
    lines = {
        "maladie_patronale": health,
        "prevoyance_patronale": provident,
        "mutuelle_patronale": year.health_employer,
        "accidents_travail": gross * now.accidents,
        "vieillesse_plafonnee_patronale": first * percent("8.55"),
        "vieillesse_deplafonnee_patronale": gross * law.at(law.OLD_AGE_WHOLE_PAY, day),
        "complementaire_t1_patronale": first * percent("6.01"),
        "complementaire_t2_patronale": result["tranche_2"] * percent("14.57"),
        "cet_patronale": result["assiette_cet"] * percent("0.21"),
        "famille": family,
        "chomage": four * law.at(law.UNEMPLOYMENT, day),
        "ags": four * law.at(law.WAGE_GUARANTEE, day),
        "apec_patronale": four * percent("0.036") if year.executive else 0,
        "solidarite_autonomie": gross * percent("0.30"),
        "fnal": first * percent("0.10") if count < 50 else gross * percent("0.50"),
        "dialogue_social": gross * percent("0.016"),
        "formation_professionnelle": gross * (percent("0.55") if count < 11 else percent(1)),
        "taxe_apprentissage": gross * (percent("0.44") if year.alsace else percent("0.68")),
        "effort_construction": gross * percent("0.45") if count >= 50 else 0,
        "versement_mobilite": gross * year.mobility if count >= 11 else 0,
        "forfait_social": (provident + year.health_employer) * percent(8) if count >= 11 else 0,
    }
    lines = {name: to_cents(amount) for name, amount in lines.items()}
    share, so_far, amount = reduction(year, months)
    lines["reduction_generale"] = -amount
    lines["deduction_heures_supplementaires"] = -flat_deduction(year, now, lines)
    result["coefficient_reduction"] = share
    result["reduction_cumulee"] = so_far
    result["lignes_patronales"] = lines
    result["charges_patronales"] = sum(lines.values())
    result["cout_employeur"] = gross + result["charges_patronales"]


URSSAF = (
    "maladie_patronale accidents_travail vieillesse_plafonnee_patronale vieillesse_deplafonnee_patronale famille "
    "solidarite_autonomie fnal chomage ags dialogue_social versement_mobilite"
).split()


def flat_deduction(year, now, lines):
    """An amount for each hour of overtime, at most what is left to the Urssaf."""
    hours = now.month.overtime + now.month.overtime_50
    count = year.headcount
    each = Fraction("1.50") if count < 20 else Fraction("0.50") if count < 250 else law.at(law.DEDUCTION_250, now.day)
    _, _, minimum, _, _ = law.at(law.REDUCTION, now.day)
    # The value that the relief itself was computed with.
    greatest = minimum + (one_delta(year) if is_averaged(year) else now.delta)
    share = (greatest - percent("6.01")) / greatest
    left = sum(lines[name] for name in URSSAF) + lines["reduction_generale"] * share
    return to_cents(min(hours * each, max(left, 0)))
