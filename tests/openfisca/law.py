"""OpenFisca-France with deviations corrected: the variables of `deviations.py` as the law has them.

A household of which every amount is then that of `/foyer` is explained by the corrections that it
needs.
"""

import numpy as np
from openfisca_core.model_api import ADD, Reform, Variable, max_, min_, where
from openfisca_france import FranceTaxBenefitSystem
from openfisca_france.model.base import YEAR, Individu
from openfisca_france.model.prelevements_obligatoires.impot_revenu import arrondi_fiscal


class exempt_overtime(Variable):
    value_type = float
    entity = Individu
    label = "Heures supplémentaires exonérées (1GH)"
    definition_period = YEAR


def published_system():
    """OpenFisca as published, with an input for exempt overtime: it has had none since 2014."""
    base = FranceTaxBenefitSystem()
    base.add_variable(exempt_overtime)
    return base


def system(base, corrected):
    """OpenFisca with these deviations corrected; as published where there is none."""
    if not corrected:
        return base

    class Law(Reform):
        def apply(self):
            for build in (
                income_variables,
                tax_variables,
                collection_variables,
                contribution_variables,
                levy_variables,
            ):
                for name, formula in build(base, corrected).items():
                    self.update_variable(type(name, (Variable,), {"formula_2022_01_01": formula}))

    return Law(base)


class Seen:
    """A household of which a published formula sees some variables otherwise."""

    def __init__(self, household, **values):
        self.household, self.values = household, values

    def __call__(self, name, period, **options):
        return self.values[name] if name in self.values else self.household(name, period, **options)

    def __getattr__(self, name):
        return getattr(self.household, name)


def published(base, name):
    """The formula of OpenFisca itself, which is nothing before its first year."""

    def formula(household, period, parameters, **values):
        of_period = base.variables[name].get_formula(period)
        if of_period is None:
            return household.filled_array(0)
        return of_period(Seen(household, **values), period, parameters)

    return formula


def turned_65(household, period, spouse, corrected):
    first = period.first_month
    month = first.offset(11, "month") if "age-on-31-december" in corrected else first
    person = household.conjoint if spouse else household.declarant_principal
    return person("age", month) >= 65


def standard_deduction(base_of_person, period, parameters):
    """The 10 % of wages."""
    limits = parameters(period).impot_revenu.calcul_revenus_imposables.deductions.abatpro
    tenth = arrondi_fiscal(limits.taux * base_of_person)
    return max_(min_(base_of_person, limits.min), min_(limits.max, tenth))


def income_variables(base, corrected):
    """Allowances and reference income."""

    def revenu_assimile_salaire_apres_abattements(person, period, parameters):
        net = published(base, "revenu_assimile_salaire_apres_abattements")(
            person, period, parameters
        )
        if "expenses-of-small-wages" not in corrected:
            return net
        wages, real = person("revenu_assimile_salaire", period), person("frais_reels", period)
        deduction = standard_deduction(wages, period, parameters)
        return where((wages == deduction) & (real > deduction), wages - real, net)

    def abat_spe(household, period, parameters):
        net = household("rng", period)
        limits = parameters(period).impot_revenu.calcul_revenus_imposables.abat_rni
        first = turned_65(household, period, False, corrected) | household("caseP", period)
        second = turned_65(household, period, True, corrected) | household("caseF", period)
        second &= household("maries_ou_pacses", period)
        entitled = 1 * first + 1 * second if "age-of-spouses" in corrected else 1 * (first | second)
        aged = entitled * limits.contribuable_age_invalide.calc(net)
        return min_(net, aged + household("nbN", period) * limits.enfant_marie)

    def cd_eparet(household, period, parameters):
        paid = published(base, "cd_eparet")(household, period, parameters)
        if "pension-savings" not in corrected:
            return paid
        left = household("rbg", period) - household("csg_patrimoine_deductible_ir", period)
        return min_(paid, max_(0, left - household("pensions_alimentaires_deduites", period)))

    def rfr(household, period, parameters):
        income = published(base, "rfr")(household, period, parameters)
        if "overtime" in corrected:
            income = income + household.sum(net_overtime(household.members, period, parameters))
        return income

    def rpns_imposables(person, period, parameters):
        income = published(base, "rpns_imposables")(person, period, parameters)
        if "turnover" not in corrected:
            return income
        micro = parameters(period).impot_revenu.calcul_revenus_imposables.rpns.micro
        bic, bnc = micro.microentreprise.regime_micro_bic, micro.microentreprise.regime_micro_bnc
        regimes = {
            "mbic_impv": bic.marchandises,
            "mbic_imps": bic.services,
            "macc_imps": bic.services,
            "mbnc_impo": bnc,
        }
        for name, regime in regimes.items():
            income = income - regime.taux * max_(0, person(name, period) - regime.plafond)
        return income

    variables = [
        revenu_assimile_salaire_apres_abattements,
        abat_spe,
        cd_eparet,
        rfr,
        rpns_imposables,
    ]
    return {one.__name__: one for one in variables}


def net_overtime(person, period, parameters):
    hours = person("exempt_overtime", period)
    wages = arrondi_fiscal(person("revenu_assimile_salaire", period))
    deduction = standard_deduction(wages + hours, period, parameters)
    net = arrondi_fiscal((wages + hours - deduction) * hours / max_(1, wages + hours))
    return where(person("frais_reels", period) > deduction, hours, net)


def tax_variables(base, corrected):
    """The ceilings of the shares, reductions and credits."""

    def ir_plaf_qf(household, period, parameters):
        seen = {}
        if "one-half-share" in corrected:
            other = (
                household("caseP", period) | household("caseW", period) | household("caseG", period)
            )
            seen["caseL"] = household("caseL", period) & ~other
        if "widow-with-shared-children" in corrected:
            shared = household("veuf", period) * household("nbH", period)
            seen["nb_pac"] = household("nb_pac", period) + shared
        if "isolated-parent" in corrected:
            excess = isolated_parent_excess(household, period, parameters)
            seen["ir_ss_qf"] = household("ir_ss_qf", period) + excess
        return published(base, "ir_plaf_qf")(household, period, parameters, **seen)

    def accueil_dans_etablissement_personnes_agees(household, period, parameters):
        if "second-in-a-home" not in corrected:
            return published(base, "accueil_dans_etablissement_personnes_agees")(
                household, period, parameters
            )
        limits = parameters(
            period
        ).impot_revenu.calcul_reductions_impots.accueil_dans_etablissement_personnes_agees
        costs = [min_(household(box, period), limits.plafond) for box in ("f7cd", "f7ce")]
        return limits.taux * sum(costs)

    def dfppce(household, period, parameters):
        seen = {}
        if "fifth-of-income" in corrected:
            seen["rni"] = household("rng", period)
        if "gifts-of-2025" in corrected:
            given = household("f7ud", period)
            seen["f7ud"] = min_(given, 1_000)
            seen["f7uf"] = household("f7uf", period) + given - seen["f7ud"]
        return published(base, "dfppce")(household, period, parameters, **seen)

    def credit_cotisations_syndicales(household, period, parameters):
        members = household.members
        limits = parameters(period).impot_revenu.credits_impots.cotisations_syndicales
        wages = members("salaire_imposable", period, options=[ADD])
        wages = wages + members("chomage_imposable", period, options=[ADD])
        income = wages + members("retraite_imposable", period, options=[ADD])
        if "dues-of-alimony" in corrected:
            income = income + members("pensions_alimentaires_percues", period, options=[ADD])
        dues = min_(members("f7ac", period), limits.plafond * income)
        if "dues-with-real-expenses" in corrected:
            real = members("frais_reels", period) > standard_deduction(wages, period, parameters)
            dues = where(real, 0, dues)
        return limits.taux * household.sum(dues)

    def nb_pac2(household, period, parameters):
        if "home-employment" not in corrected:
            return published(base, "nb_pac2")(household, period, parameters)
        persons = household("nbF", period) + household("nbJ", period) + household("nbN", period)
        aged = [
            1 * turned_65(household, period, spouse, corrected | {"age-on-31-december"})
            for spouse in (False, True)
        ]
        return persons + household("nbH", period) / 2 + sum(aged)

    variables = [
        ir_plaf_qf,
        accueil_dans_etablissement_personnes_agees,
        dfppce,
        credit_cotisations_syndicales,
        nb_pac2,
    ]
    return {one.__name__: one for one in variables}


def isolated_parent_excess(household, period, parameters):
    """What the ceiling of OpenFisca is above that of the law."""
    ceilings = parameters(
        period
    ).impot_revenu.calcul_impot_revenu.plaf_qf.plafond_avantages_procures_par_demi_part
    half_shares = min_(2 * (household("nbptr", period) - 1), 2)
    full = household("nbF", period) + household("nbJ", period) > 0
    shared = where(household("nbR", period) > 0, 0, min_(household("nbH", period), 2))
    of_children = min_(half_shares, where(full, 2, shared))
    excess = (half_shares - of_children) * (ceilings.celib_enf / 2 - ceilings.general)
    return where(household("caseT", period), excess, 0)


def collection_variables(base, corrected):
    """What is collected and refunded."""

    def impot_revenu_restant_a_payer(household, period, parameters):
        flat = household("prelevement_forfaitaire_unique_ir", period)
        credits = household("credits_impot", period)
        if "whole-euros" in corrected:
            flat, credits = arrondi_fiscal(flat), arrondi_fiscal(credits)
        before = (
            household("iai", period)
            + household("contribution_exceptionnelle_hauts_revenus", period)
            + flat
        )
        after = before - credits

        reached = "thresholds-reached" in corrected
        below_61 = before < 61 if reached else before <= 61
        below_12 = after < 12 if reached else after <= 12
        small = after > -8 if "small-refunds" in corrected else np.zeros_like(after, dtype=bool)
        if "one-roll" in corrected:
            least = 61 if "small-levies" in corrected else 1
            alone = levies_of_roll(household, period, corrected) < least
            below_12, small = below_12 & alone, small & alone
        nothing = where(after > 0, below_61 | below_12, small)
        return -where(nothing, 0, after)

    return {"impot_revenu_restant_a_payer": impot_revenu_restant_a_payer}


def contribution_variables(base, corrected):
    """CEHR and CDHR."""

    def contribution_exceptionnelle_hauts_revenus(household, period, parameters):
        due = published(base, "contribution_exceptionnelle_hauts_revenus")(
            household, period, parameters
        )
        return (
            min_(due, smoothed(household, period, parameters)) if "smoothing" in corrected else due
        )

    def contribution_differentielle_hauts_revenus_ressources(household, period, parameters):
        income = household("rfr", period)
        if "cdhr-income" in corrected:
            income = income - household("rfr_rvcm_abattements_a_reintegrer", period)
        return income

    def contribution_differentielle_hauts_revenus(household, period, parameters):
        seen = {}
        if "cdhr-net-tax" in corrected:
            flat = household("prelevement_forfaitaire_unique_ir", period)
            net = household("iaidrdi", period) + flat - household("credits_impot", period)
            seen["ip_net"] = max_(0, net) - flat
        return published(base, "contribution_differentielle_hauts_revenus")(
            household, period, parameters, **seen
        )

    def contribution_differentielle_hauts_revenus_majoration(household, period, parameters):
        seen = {}
        if "cdhr-dependants" in corrected:
            seen["nb_pac"] = (
                household("nb_pac", period) + household("nbH", period) + household("nbN", period)
            )
        name = "contribution_differentielle_hauts_revenus_majoration"
        return published(base, name)(household, period, parameters, **seen)

    variables = [
        contribution_exceptionnelle_hauts_revenus,
        contribution_differentielle_hauts_revenus_ressources,
        contribution_differentielle_hauts_revenus,
        contribution_differentielle_hauts_revenus_majoration,
    ]
    return {one.__name__: one for one in variables}


def smoothed(household, period, parameters):
    """The smoothed contribution, the most that is due; no limit where it does not apply."""
    scales = parameters(
        period
    ).impot_revenu.contributions_exceptionnelles.contribution_exceptionnelle_hauts_revenus
    couple = household("maries_ou_pacses", period)
    threshold = where(couple, 500_000, 250_000)
    income = arrondi_fiscal(household("rfr", period))
    earlier = [arrondi_fiscal(household("rfr", period.offset(-years))) for years in (1, 2)]
    mean = arrondi_fiscal(sum(earlier) / 2)

    half = mean + arrondi_fiscal((income - mean) / 2)
    due = where(
        couple, scales.maries_ou_pacses.calc(half), scales.celibataire_ou_assimile.calc(half)
    )
    applies = household("contribution_exceptionnelle_hauts_revenus_appliquer_lissage", period)
    applies = (
        applies & (earlier[0] <= threshold) & (earlier[1] <= threshold) & (income >= 1.5 * mean)
    )
    return where(applies, 2 * arrondi_fiscal(due), np.inf)


def levy_variables(base, corrected):
    """Social levies on rents, gains and capital."""

    def assiette_csg_revenus_capital(household, period, parameters):
        seen = {}
        if "levies-and-deficits" in corrected:
            seen["revenu_categoriel_foncier"] = max_(
                0, household("revenu_categoriel_foncier", period)
            )
        income = published(base, "assiette_csg_revenus_capital")(
            household, period, parameters, **seen
        )
        return income + furnished_lets(household, period, corrected)

    def prelevements_sociaux_revenus_capital(household, period, parameters):
        levies = published(base, "prelevements_sociaux_revenus_capital")(
            household, period, parameters
        )
        if raised(period, corrected):
            gains = household("f3vg", period) + furnished_lets(household, period, corrected)
            levies = levies - 0.014 * gains
        if "small-levies" in corrected:
            roll = levies_of_roll(household, period, corrected)
            levies = levies + where(roll < 61, roll, 0)
        return levies

    return {
        "assiette_csg_revenus_capital": assiette_csg_revenus_capital,
        "prelevements_sociaux_revenus_capital": prelevements_sociaux_revenus_capital,
    }


def raised(period, corrected):
    return "csg-of-2025" in corrected and period.start.year == 2025


def furnished_lets(household, period, corrected):
    """The income of lets that are no profession, where the levies are on it."""
    if "levies-of-furnished-lets" not in corrected:
        return 0
    received = household.sum(household.members("macc_imps", period))
    return received - max_(arrondi_fiscal(received / 2), min_(received, 305))


def levies_of_roll(household, period, corrected):
    """Levies of the notice, on rents, gains and furnished lets; others are paid at the source."""
    rents = max_(0, household("revenu_categoriel_foncier", period)).astype(float)
    gains = (household("f3vg", period) + furnished_lets(household, period, corrected)).astype(float)
    solidarity = arrondi_fiscal(0.075 * (rents + gains))
    if raised(period, corrected):
        return arrondi_fiscal(0.097 * rents) + arrondi_fiscal(0.111 * gains) + solidarity
    return arrondi_fiscal(0.097 * (rents + gains)) + solidarity
