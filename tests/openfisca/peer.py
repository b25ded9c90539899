"""The same households in OpenFisca-France: how they are declared there, and what is compared."""

import numpy as np
from openfisca_core.simulation_builder import SimulationBuilder

# Inputs of a declarant that are a variable there: our name, theirs.
OF_A_PERSON = {
    "salaire": "salaire_imposable",
    "chomage": "chomage_imposable",
    "frais_reels": "frais_reels",
    "heures_sup": "exempt_overtime",
    "pension": "retraite_imposable",
    "micro_bic_ventes": "mbic_impv",
    "micro_bic_services": "mbic_imps",
    "micro_bnc": "mbnc_impo",
    "per": "f6ns",
    "plafond_per": "f6ps",
    "cotisation_syndicale": "f7ac",
}
# Of the first declarant alone. Long lets are services that are no profession: half is taxed.
OF_THE_FIRST = {"pension_alimentaire_recue": "pensions_alimentaires_percues", "meuble": "macc_imps"}
OF_A_HOUSEHOLD = {
    "enfants": "nbF",
    "enfants_majeurs": "nbJ",
    "enfants_alternes": "nbH",
    "enfants_invalides": "nbG",
    "enfants_alternes_invalides": "nbI",
    "personnes_invalides": "nbR",
    "personnes_rattachees": "nbN",
    "invalide": "caseP",
    "conjoint_invalide": "caseF",
    "case_l": "caseL",
    "micro_foncier": "f4be",
    "revenus_fonciers": "f4ba",
    "deficit_foncier": "f4bc",
    "dividendes": "f2dc",
    "interets": "f2tr",
    "plus_values": "f3vg",
    "abattement_duree": "f3sg",
    "bareme_capital": "f2op",
    "pension_alimentaire": "f6gu",
    "csg_deductible": "f6de",
    "dons": "f7uf",
    "dons_75": "f7ud",
    "emploi_domicile": "f7db",
    "emploi_domicile_premiere_annee": "f7dq",
    "emploi_domicile_invalidite": "f7dg",
    "ascendants_65": "f7dl",
}
# Lists, an amount a box.
LISTS = {
    "pension_enfant_majeur": ["f6el", "f6em"],
    "garde": ["f7ga", "f7gb", "f7gc"],
    "garde_alternee": ["f7ge", "f7gf", "f7gg"],
    "ehpad": ["f7cd", "f7ce"],
}
# Pupils at full charge, and those whose parents live apart.
SCHOOLS = {"college": ("f7ea", "f7eb"), "lycee": ("f7ec", "f7ed"), "superieur": ("f7ef", "f7eg")}
TERRITORIES = {
    "guadeloupe": "971",
    "martinique": "972",
    "guyane": "973",
    "reunion": "974",
    "mayotte": "976",
}

# What is compared: a name, the field of `/foyer`, the variable there (a minus: they have it
# negative), and how many euros rounding may make: OpenFisca rounds few of the amounts that a sum is
# made of, and holds seven digits.
AMOUNTS = [
    ("shares", "parts", "nbptr", 0),
    ("gross income", "revenu_brut_global", "rbg", 4),
    ("net income", "revenu_net_global", "rng", 4),
    ("taxable income", "revenu_imposable", "rni", 4),
    ("reference income", "revenu_fiscal_reference", "rfr", 4),
    ("tax before reductions", "impot_apres_decote", "ip_net", 3),
    ("reductions", "reductions", "reductions", 4),
    ("flat tax", "impot_forfaitaire", "prelevement_forfaitaire_unique_ir", 1),
    ("CEHR", "cehr", "contribution_exceptionnelle_hauts_revenus", 2),
    ("credits", "credits", "credits_impot", 3),
    ("tax after reductions and credits", "impot_net", "-impot_revenu_restant_a_payer", 6),
    ("CDHR", "cdhr", "-contribution_differentielle_hauts_revenus", 4),
    ("social levies", "prelevements_sociaux", "-prelevements_sociaux_revenus_capital", 2),
]


def amounts(system, households, year):
    """A row of amounts of the year for each household, by a system of OpenFisca."""
    simulation = declare(system, households, year)
    columns = []
    for _, _, name, _ in AMOUNTS:
        values = simulation.calculate(name.lstrip("-"), year).astype(float)
        columns.append(-values if name.startswith("-") else values)
    return np.array(columns).T


def declare(system, households, year):
    couple = np.array([query["situation"] == "couple" for query in households])
    # The first declarants, then the spouses.
    first = [(number, query, "") for number, query in enumerate(households)]
    spouses = [
        (number, query, "_conjoint") for number, query in enumerate(households) if couple[number]
    ]
    persons = first + spouses
    simulation = build(system, persons, len(households))

    def of_households(name, values):
        simulation.set_input(name, year, np.array(values))

    def of_persons(name, value):
        simulation.set_input(
            name, year, np.array([value(query, spouse) for _, query, spouse in persons])
        )

    for ours, theirs in OF_A_PERSON.items():
        of_persons(theirs, lambda query, spouse: query.get(ours + spouse, 0))
    for ours, theirs in OF_THE_FIRST.items():
        of_persons(theirs, lambda query, spouse: 0 if spouse else query.get(ours, 0))
    of_persons("date_naissance", lambda query, spouse: birth(query.get("age" + spouse) or 40, year))
    of_persons("statut_marital", lambda query, _: marital_status(query["situation"]))

    for ours, theirs in OF_A_HOUSEHOLD.items():
        of_households(theirs, [query.get(ours, 0) for query in households])
    for ours, boxes in LISTS.items():
        for place, box in enumerate(boxes):
            of_households(box, [item(query.get(ours), place) for query in households])
    for ours, (whole, halves) in SCHOOLS.items():
        pupils = np.array([float(query.get(f"scolarite_{ours}", 0)) for query in households])
        of_households(whole, np.floor(pupils).astype(int))
        of_households(halves, (2 * (pupils % 1)).astype(int))
    declare_what_has_no_box_of_its_own(of_households, households, couple)
    declare_earlier_years(simulation, households, year)
    return simulation


def build(system, persons, households):
    builder = SimulationBuilder()
    builder.create_entities(system)
    builder.declare_person_entity("individu", [str(number) for number in range(len(persons))])
    first_roles = {
        "foyer_fiscal": "declarant_principal",
        "famille": "demandeur",
        "menage": "personne_de_reference",
    }
    for entity, role in first_roles.items():
        population = builder.declare_entity(entity, [str(number) for number in range(households)])
        roles = np.array(["conjoint" if spouse else role for _, _, spouse in persons])
        builder.join_with_persons(
            population, np.array([str(number) for number, _, _ in persons]), roles
        )
    return builder.build(system)


def declare_what_has_no_box_of_its_own(of_households, households, couple):
    veteran = np.array([bool(query.get("ancien_combattant")) for query in households])
    of_households("caseS", veteran & couple)
    of_households("caseW", veteran & ~couple)
    of_households("caseT", [query["situation"] == "parent_isole" for query in households])
    of_households(
        "depcom_foyer",
        [TERRITORIES.get(query.get("territoire"), "000") + "00" for query in households],
    )
    # Incomes whose levies make a part of the CSG deductible where they are taxed by the scale.
    of_households(
        "f2bh", [query.get("dividendes", 0) + query.get("interets", 0) for query in households]
    )


def declare_earlier_years(simulation, households, year):
    given = ["rfr_n1" in query for query in households]
    simulation.set_input(
        "contribution_exceptionnelle_hauts_revenus_appliquer_lissage", year, np.array(given)
    )
    for name, before in (("rfr_n1", 1), ("rfr_n2", 2)):
        simulation.set_input(
            "rfr", year - before, np.array([query.get(name, 0) for query in households])
        )


def birth(age, year):
    """In July: of that age on 31 December, a year younger on 1 January."""
    return np.datetime64(f"{year - age}-07-01")


def marital_status(situation):
    return {"couple": "marie", "veuf": "veuf"}.get(situation, "celibataire")


def item(amounts, place):
    listed = amounts.split(";") if amounts else []
    return int(listed[place]) if place < len(listed) else 0
