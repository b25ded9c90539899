"""Random households, as queries of `/foyer` in whole euros."""

import random

# What OpenFisca declares otherwise, or not at all, is not drawn: the table of README.md says why.
FAMILIES = ["celibataire", "couple", "parent_isole", "veuf"]
TERRITORIES = ["guadeloupe", "martinique", "reunion", "guyane", "mayotte"]
# What a household of each level earns, and how often it is drawn.
LEVELS = {18_000: 3, 45_000: 5, 120_000: 2, 600_000: 1, 2_000_000: 0.4}
# Turnovers of the micro regimes: the highest ceilings of the years that are compared.
TURNOVERS = {"micro_bic_ventes": 190_000, "micro_bic_services": 79_000, "micro_bnc": 79_000}


class Draw:
    """One household: its random numbers, and the query as it grows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.query = {}

    def maybe(self, chance):
        return self.random.random() < chance

    def amount(self, most):
        """An amount, small or large: most thresholds of the law are low, some incomes are not."""
        return int(
            self.random.choice([self.random.uniform(0, most), self.random.uniform(0, most / 8)])
        )

    def add(self, name, chance, most):
        if self.maybe(chance):
            self.query[name] = self.amount(most)

    def count(self, name, chance, most):
        if self.maybe(chance):
            self.query[name] = self.random.randint(1, most)

    def switch(self, name, chance):
        if self.maybe(chance):
            self.query[name] = True


def household(seed):
    """The query of one household."""
    draw = Draw(seed)
    situation = draw.random.choices(FAMILIES, [3, 5, 3, 1.5])[0]
    draw.query["situation"] = situation
    spouses = ["", "_conjoint"] if situation == "couple" else [""]

    add_family(draw, situation, spouses)
    level = draw.random.choices(list(LEVELS), list(LEVELS.values()))[0]
    for spouse in spouses:
        add_earnings(draw, spouse, level)
    add_estate(draw, level)
    add_expenses(draw)
    add_earlier_years(draw, situation)
    if draw.maybe(0.06):
        draw.query.update(
            draw.random.choice([sixty_one_euros, gifts_of_a_high_income, scale_and_alimony])(draw)
        )
    return draw.query


def add_family(draw, situation, spouses):
    kinds = ["enfants", "enfants_majeurs", "enfants_alternes", "personnes_invalides"]
    if situation == "parent_isole" or draw.maybe(0.5):
        for kind in draw.random.sample(kinds, draw.random.choices([1, 2, 3], [5, 3, 1])[0]):
            draw.query[kind] = draw.random.choices([1, 2, 3, 4], [5, 4, 2, 1])[0]
    full, shared = (draw.query.get(kind, 0) for kind in ("enfants", "enfants_alternes"))
    alone = not any(kind in draw.query for kind in kinds)
    if full:
        draw.count("enfants_invalides", 0.2, full)
    if shared:
        draw.count("enfants_alternes_invalides", 0.25, shared)
    draw.count("personnes_rattachees", 0.06, 3)

    for name, spouse in (("invalide", ""), ("conjoint_invalide", "_conjoint")):
        if spouse in spouses:
            draw.switch(name, 0.12)
    # For one person with dependants the law grants neither, and `/foyer` refuses them.
    if situation == "couple" or alone:
        draw.switch("ancien_combattant", 0.12)
    if situation in ("celibataire", "veuf") and alone:
        draw.switch("case_l", 0.4)
    for spouse in spouses:
        if draw.maybe(0.6):
            draw.query["age" + spouse] = draw.random.choice(
                [draw.random.randint(20, 95), 65, 64, 66]
            )
    if draw.maybe(0.2):
        draw.query["territoire"] = draw.random.choice(TERRITORIES)


def add_earnings(draw, spouse, level):
    kind = draw.random.choices(["wage", "pension", "micro", "mixed", "none"], [5, 3, 1.5, 2, 1])[0]
    if kind in ("wage", "mixed"):
        draw.query["salaire" + spouse] = 1 + draw.amount(level)
        draw.add("chomage" + spouse, 0.15, 25_000)
        draw.add("frais_reels" + spouse, 0.25, 20_000)
        draw.add("heures_sup" + spouse, 0.2, 7_500)
    if kind in ("pension", "mixed"):
        draw.query["pension" + spouse] = draw.amount(min(level, 90_000))
    if kind in ("micro", "mixed"):
        for name, most in TURNOVERS.items():
            draw.add(name + spouse, 0.4, most)
    draw.add("cotisation_syndicale" + spouse, 0.15, 900)
    # Without a ceiling OpenFisca deducts without a limit, and `/foyer` estimates one.
    if draw.maybe(0.15):
        draw.query["per" + spouse] = draw.amount(12_000)
        draw.query["plafond_per" + spouse] = 1 + draw.amount(30_000)


def add_estate(draw, level):
    rents = draw.random.random()
    if rents < 0.15:
        draw.query["micro_foncier"] = draw.amount(15_000)
    elif rents < 0.27:
        draw.query["revenus_fonciers"] = draw.amount(max(30_000, level // 4))
    elif rents < 0.4:
        draw.query["deficit_foncier"] = draw.amount(10_700)
    draw.add("meuble", 0.12, 30_000)

    large = 1 if draw.maybe(0.15) else 0
    draw.add("dividendes", 0.35, max(8_000, large * 2 * level))
    draw.add("interets", 0.3, max(3_000, large * level))
    draw.add("plus_values", 0.25, max(10_000, large * 2 * level))
    draw.switch("bareme_capital", 0.35)
    if draw.query.get("bareme_capital") and draw.query.get("plus_values"):
        draw.add("abattement_duree", 0.5, draw.query["plus_values"])
    # About the thresholds of the two contributions of high incomes.
    if draw.maybe(0.06):
        draw.query["dividendes"] = int(
            250_000 * draw.random.choice([1, 2]) * draw.random.uniform(0.95, 1.6)
        )


def add_expenses(draw):
    draw.add("pension_alimentaire_recue", 0.08, 10_000)
    draw.add("pension_alimentaire", 0.1, 12_000)
    draw.add("csg_deductible", 0.1, 2_000)
    for name, chance, most, persons in (
        ("pension_enfant_majeur", 0.1, 9_000, 2),
        ("garde", 0.2, 5_000, 3),
        ("garde_alternee", 0.1, 3_000, 3),
        ("ehpad", 0.1, 15_000, 2),
    ):
        if draw.maybe(chance):
            amounts = [draw.amount(most) for _ in range(draw.random.randint(1, persons))]
            draw.query[name] = ";".join(str(amount) for amount in amounts)

    draw.add("dons", 0.25, draw.random.choice([1_000, 40_000]))
    draw.add("dons_75", 0.2, 2_500)
    for school in ("college", "lycee", "superieur"):
        if draw.maybe(0.12):
            draw.query[f"scolarite_{school}"] = draw.random.choice(["0.5", "1", "1.5", "2"])
    if draw.maybe(0.25):
        draw.query["emploi_domicile"] = draw.amount(draw.random.choice([5_000, 22_000]))
        draw.switch("emploi_domicile_premiere_annee", 0.2)
        draw.switch("emploi_domicile_invalidite", 0.15)
        draw.count("ascendants_65", 0.15, 2)


def add_earlier_years(draw, situation):
    """The reference incomes of two years: below, above or exactly the threshold of the CEHR."""
    threshold = 500_000 if situation == "couple" else 250_000
    if draw.maybe(0.3):
        for name in ("rfr_n1", "rfr_n2"):
            draw.query[name] = draw.random.choice(
                [threshold, draw.amount(threshold), draw.amount(2 * threshold)]
            )


def sixty_one_euros(draw):
    """A flat tax about the least that is collected."""
    return {
        "interets": draw.random.randint(470, 482),
        "dividendes": 0,
        "plus_values": 0,
        "bareme_capital": False,
        "abattement_duree": 0,
    }


def gifts_of_a_high_income(draw):
    """More than a fifth of an income that attached persons lower."""
    return {
        "salaire": draw.random.randint(80_000, 200_000),
        "personnes_rattachees": draw.random.randint(1, 3),
        "dons": 60_000,
    }


def scale_and_alimony(draw):
    """Dividends by the scale whose 40 % is most of the reference income."""
    alimony = draw.random.randint(200_000, 300_000)
    return {
        "dividendes": draw.random.randint(700_000, 1_500_000),
        "bareme_capital": True,
        "pension_alimentaire": alimony,
    }
