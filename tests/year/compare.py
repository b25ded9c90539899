"""Compares years of pays that a service answers with those of `france.py`, which shares no code with it.

    python3 tests/year/compare.py http://127.0.0.1:8080 --months 20000 --alone 10000

draws years until they have that many months, and compares each amount of each month and each total; then asks for
that many pays twice, as a year of one month and as a month alone, and compares the two answers. Prints the first
differences, each with its call, then the counts; ends with 1 where anything differs. `--seed` draws other years.
"""

import argparse
import json
import random
from fractions import Fraction
from http.client import HTTPConnection, RemoteDisconnected
from urllib.parse import quote, urlencode, urlsplit

import elsewhere
import worked
from draw import draw, usual_pay
from france import compute, to_cents

SHOWN = 20
"""Differences that are printed."""

# Fields that an answer may leave out where they are zero.
LEFT_OUT = {"heures_exonerees"}
# What the program keeps for itself.
INNER = {"quatre_plafonds"}
RATES = {"taux_cotisations", "coefficient_reduction", "taux_pas"}


class Service:
    """One connection that is kept, until the service ends it: a connection has its time."""

    def __init__(self, address):
        self.connection = HTTPConnection(urlsplit(address).netloc, timeout=60)

    def get(self, target):
        try:
            return self.answer(target)
        except (RemoteDisconnected, ConnectionError):
            self.connection.close()
            return self.answer(target)

    def answer(self, target):
        self.connection.request("GET", target)
        response = self.connection.getresponse()
        text = response.read().decode()
        # Exact numbers, as they are written.
        return response.status, json.loads(text, parse_float=Fraction, parse_int=Fraction)


def written(value):
    """A number as a query has it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    value = Fraction(value)
    text = f"{value.numerator * 10**6 // value.denominator:07d}" if value >= 0 else ""
    assert Fraction(int(text), 10**6) == value, value
    return f"{text[:-6]}.{text[-6:]}".rstrip("0").rstrip(".")


def percent(value):
    return written(value if value is None or isinstance(value, str) else value * 100)


def listed(values):
    """A list as a query has it: one value where all are the same."""
    values = list(values)
    return values[0] if len(set(values)) == 1 and values[0] else ";".join(values)


def query_of(year):
    months = year.months
    query = {
        "annee": str(year.year),
        "premier_mois": str(year.first),
        "dernier_mois": str(year.first + len(months) - 1),
        "employeur": "true",
        "brut": ";".join(written(month.pay) for month in months),
        "primes": listed(written(month.bonus) for month in months),
        "heures_supplementaires": listed(written(month.overtime) for month in months),
        "heures_supplementaires_50": listed(written(month.overtime_50) for month in months),
        "jours": ";".join(written(month.days) for month in months),
        "brut_mois_complet": ";".join(written(month.full_pay) for month in months),
        "taux_pas": ";".join(percent(month.withholding) for month in months),
        "cadre": written(year.executive),
        "alsace_moselle": written(year.alsace),
        "mutuelle_salarie": written(year.health_employee),
        "mutuelle_employeur": written(year.health_employer),
        "prevoyance_salarie": written(year.provident_employee),
        "prevoyance_employeur": written(year.provident_employer) if year.provident_employer else "",
        "effectif": str(year.headcount),
        "taux_at_mp": percent(year.accidents),
        "taux_versement_mobilite": percent(year.mobility),
        "majoration": percent(year.increase),
        "regularisation": year.settlement,
        "depart": written(year.leaves),
    }
    if year.year == 2025:
        query["changement_t"] = year.change
    # A list of nothing but empty places is not sent.
    return {name: value for name, value in query.items() if value.strip(";")}


def lines_of(rows):
    return {row["code"]: row["montant"] for row in rows}


def differences(expected, answered):
    """Lines for what differs in a month."""
    for name, value in expected.items():
        if name in INNER:
            continue
        if isinstance(value, dict):
            known = lines_of(answered.get(name, []))
            for code in {**value, **known}:
                wanted, found = to_cents(value.get(code, 0)), known.get(code, 0)
                if wanted != found:
                    yield f"{name}.{code}", wanted, found
            continue
        if name not in answered:
            if value != 0 or name not in LEFT_OUT:
                yield name, value, None
            continue
        wanted = to_cents(value, 4 if name in RATES else 2)
        if wanted != answered[name]:
            yield name, wanted, answered[name]


def total_differences(computed, total):
    """Lines for the totals that are not the sums of the amounts."""
    for name, value in total.items():
        if isinstance(value, list):
            # Lines are added up one by one, by their codes. The rows of a payslip have two of them each.
            if not all("code" in row for row in value):
                continue
            known, months = lines_of(value), [month.get(name) or {} for month in computed]
            for code in {code: None for month in months for code in month}:
                wanted = to_cents(sum(month.get(code) or 0 for month in months))
                if wanted != known.get(code, 0):
                    yield f"total.{name}.{code}", wanted, known.get(code)
            continue
        amounts = [month.get(name) for month in computed]
        if any(amount is not None for amount in amounts):
            wanted = to_cents(sum(amount or 0 for amount in amounts))
            if wanted != value:
                yield f"total.{name}", wanted, value


def compare_years(service, draws, months):
    """Months compared, and lines for what differs."""
    compared, found = 0, []
    while compared < months:
        year = draw(draws)
        target = f"/api/v1/salaire/annee?{urlencode(query_of(year), safe=';', quote_via=quote)}"
        status, answer = service.get(target)
        if status != 200:
            found.append(f"{target}\n    {status} {json.dumps(answer, default=float, ensure_ascii=False)}")
            compared += len(year.months)
            continue
        computed = compute(year)
        answered = answer["mois"]
        if len(answered) != len(computed):
            found.append(f"{target}\n    {len(answered)} months instead of {len(computed)}")
        for expected, month in zip(computed, answered):
            for name, wanted, got in differences(expected, month):
                found.append(f"{target}\n    month {expected['mois']}, {name}: {shown(got)} instead of {shown(wanted)}")
        for name, wanted, got in total_differences(computed, answer["total"]):
            found.append(f"{target}\n    {name}: {shown(got)} instead of {shown(wanted)}")
        compared += len(computed)
    return compared, found


def shown(value):
    return "nothing" if value is None else f"{float(value):.6f}".rstrip("0").rstrip(".")


# What a year says besides of each month, and what a month alone says once.
OF_A_YEAR = set(
    "mois primes brut_total heures_exonerees cumul_brut cumul_plafond tranche_1 tranche_2 assiette_cet smic_mois "
    "cumul_smic reduction_generale reduction_cumulee".split()
)
OF_A_MONTH_ALONE = {"references", "version", "citation", "avertissements", "reserves"}


def compare_alone(service, draws, pays):
    """A year of one month beside the same pay alone: pays compared, and lines for what differs."""
    found = []
    for _ in range(pays):
        year, month = draws.choice((2023, 2024, 2025, 2026)), draws.randint(1, 12)
        query = {
            "brut": written(Fraction(round(usual_pay(draws) * 100), 100)),
            "employeur": "true",
            "cadre": written(draws.random() < 0.3),
            "effectif": str(draws.choice((5, 15, 60, 300))),
            "heures_supplementaires": str(draws.choice((0, 0, 0, 7, 17))),
            "taux_pas": draws.choice(("", "neutre", "7.5")),
            "alsace_moselle": written(draws.random() < 0.1),
            "mutuelle_employeur": str(draws.choice((0, 0, 35))),
        }
        text = urlencode(query)
        alone = f"/api/v1/salaire?{text}&date={year}-{month:02d}-28"
        in_year = f"/api/v1/salaire/annee?{text}&annee={year}&premier_mois={month}&dernier_mois={month}"
        (status, pay), (status_of_year, answer) = service.get(alone), service.get(in_year)
        if (status, status_of_year) != (200, 200):
            found.append(f"{alone}: {status}\n    {in_year}: {status_of_year}")
            continue
        (of_year,) = answer["mois"]
        wanted = pay.keys() | of_year.keys() - OF_A_YEAR
        for name in sorted(wanted - OF_A_MONTH_ALONE):
            if pay.get(name) != of_year.get(name):
                found.append(f"{in_year}\n    {name}: {of_year.get(name)} in the year, {pay.get(name)} alone")
    return pays, found


def uneven(draws, usual):
    """Pays of one to twelve months around a usual one."""
    return [Fraction(round(usual * draws.uniform(0.5, 1.6) * 100), 100) for _ in range(draws.randint(1, 12))]


def compare_elsewhere(service, draws, months):
    """Quebec and Switzerland: months compared, and lines for what differs."""
    compared, found = 0, []
    while compared < months:
        pays = uneven(draws, draws.choice((3500, 6000, 9500, 14000, 22000)))
        last = len(pays)
        brut = ";".join(written(pay) for pay in pays)
        swiss = elsewhere.switzerland(pays, Fraction("0.014"))
        for path, expected in (
            (f"qc/annee?annee=2026&dernier_mois={last}&brut={brut}&employeur=true", elsewhere.quebec(pays)),
            (f"ch/annee?annee=2026&dernier_mois={last}&brut={brut}&age=40&laa_taux=1.4", [(month, {}) for month in swiss]),
        ):
            status, answer = service.get(f"/api/v1/salaire-net/{path}")
            if status != 200:
                found.append(f"{path}\n    {status} {json.dumps(answer, default=float, ensure_ascii=False)}")
                continue
            for index, ((employee, employer), month) in enumerate(zip(expected, answer["mois"], strict=True), start=1):
                known = {**month, **lines_of(month.get("lignes_patronales", []))}
                for name, wanted in {**employee, **employer}.items():
                    if known[name] != wanted:
                        found.append(f"{path}\n    month {index}, {name}: {shown(known[name])} instead of {shown(wanted)}")
            compared += last
    return compared, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("service")
    parser.add_argument("--months", type=int, default=300)
    parser.add_argument("--alone", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    checked, wrong = worked.differences()
    service, draws = Service(asked.service), random.Random(asked.seed)
    months, found = compare_years(service, draws, asked.months)
    pays, found_alone = compare_alone(service, draws, asked.alone)
    months_elsewhere, found_elsewhere = compare_elsewhere(service, draws, max(asked.months // 4, 60))
    for line in [*wrong, *found, *found_alone, *found_elsewhere][:SHOWN]:
        print(line)
    print(f"{checked} worked amounts, {len(wrong)} differ")
    print(f"{months} months compared, {len(found)} amounts differ")
    print(f"{pays} pays alone compared, {len(found_alone)} fields differ")
    print(f"{months_elsewhere} months of Quebec and Switzerland compared, {len(found_elsewhere)} amounts differ")
    raise SystemExit(bool(wrong or found or found_alone or found_elsewhere) or not (checked and months and pays))


if __name__ == "__main__":
    main()
