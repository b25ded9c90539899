"""What an economist measures, beside an independent computation of every figure: ``economist.py RULES HOUSEHOLDS``."""

import json
import pickle
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

import bareme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

RULES = Path(sys.argv[1])
DAY = "2026-03-31"
COMMAND = "import sys; from bareme.command import main; sys.exit(main())"
ROWS, REPLICATES = 240, 12

rules = bareme.load(RULES)


def amounts(values) -> pa.Array:
    return pa.array([Decimal(value) for value in values], pa.decimal128(14, 2))


class Chains(unittest.TestCase):
    """The pays of adults, then the tax of their household, in one call."""

    GROSS = [["4000", "2500.50"], ["3100"], [], None, ["2000.01"], ["9000", "1823.03"]]

    @classmethod
    def setUpClass(cls):
        pay = rules.plan("salaire", fields=["net", "net_imposable"], date=DAY, keep=["prenom"])
        home = rules.plan("foyer", fields=["impot_net", "revenu_imposable"], date=DAY, keep=["id"])
        give = {"net_imposable": ["salaire", "salaire_conjoint"]}
        cls.pay, cls.home = pay, home
        cls.chain = home.after(pay, each="adultes", give=give, months=12)
        adults = [None if row is None else [{"prenom": f"p{at}", "brut": Decimal(one)} for at, one in enumerate(row)] for row in cls.GROSS]
        struct = pa.struct([("prenom", pa.string()), ("brut", pa.decimal128(12, 2))])
        cls.table = pa.table(
            {
                "id": range(6),
                "situation": ["couple", "celibataire", "couple", "celibataire", "celibataire", "couple"],
                "enfants": [2, 0, 1, 0, 0, 3],
                "adultes": pa.array(adults, pa.list_(struct)),
            }
        )

    def test_a_chain_is_both_calculations_by_hand_row_by_row(self):
        answers = self.chain(self.table)
        self.assertEqual(answers.column_names[:3], ["id", "impot_net", "revenu_imposable"])
        for given, found in zip(self.table.to_pylist(), answers.to_pylist()):
            gross = given.pop("adultes") or []
            pays = [rules.calculate("salaire", brut=one["brut"], date=DAY) for one in gross]
            names = ["salaire", "salaire_conjoint"]
            taxed = {name: 12 * pay["net_imposable"] for name, pay in zip(names, pays)}
            tax = rules.calculate("foyer", situation=given["situation"], enfants=given["enfants"], date=DAY, **taxed)
            self.assertEqual([found["impot_net"], found["revenu_imposable"]], [tax["impot_net"], tax["revenu_imposable"]])
            persons = [(one["prenom"], one["net"], one["net_imposable"], one["erreur"]) for one in found["adultes"] or []]
            self.assertEqual(persons, [(one["prenom"], pay["net"], pay["net_imposable"], None) for one, pay in zip(gross, pays)])
        self.assertEqual(answers["impot_net"].to_pylist()[3], 0)
        self.assertGreater(answers["impot_net"][0].as_py(), 1000)

    def test_it_is_the_tables_joined_by_hand(self):
        flat = self.table.to_pandas()[["id", "adultes"]].explode("adultes").dropna()
        persons = pa.table({"id": flat["id"].to_numpy(), "brut": amounts(one["brut"] for one in flat["adultes"])})
        nets = rules.plan("salaire", fields=["net_imposable"], date=DAY, keep=["id"])(persons).to_pandas()
        nets["rank"] = nets.groupby("id").cumcount()
        wide = nets.pivot(index="id", columns="rank", values="net_imposable").reindex(range(6))
        table = self.table.drop_columns("adultes")
        for rank, name in enumerate(["salaire", "salaire_conjoint"]):
            table = table.append_column(name, pa.array([None if pd.isna(one) else 12 * one for one in wide[rank]], pa.decimal128(14, 2)))
        joined = self.home(table)
        answers = self.chain(self.table).select(joined.column_names)
        self.assertEqual(answers.to_pylist(), joined.to_pylist())

    def test_without_remarks_it_has_the_same_values(self):
        pay = rules.plan("salaire", fields=["net", "net_imposable"], date=DAY, keep=["prenom"], remarks=False)
        home = rules.plan("foyer", fields=["impot_net", "revenu_imposable"], date=DAY, keep=["id"], remarks=False)
        chain = home.after(pay, each="adultes", give={"net_imposable": ["salaire", "salaire_conjoint"]}, months=12)
        answers, expected = chain(self.table), self.chain(self.table)
        self.assertNotIn("reserves", answers.column_names)
        names = [name for name in answers.column_names if name != "adultes"]
        self.assertEqual(answers.select(names).to_pylist(), expected.select(names).to_pylist())
        self.assertEqual(pickle.loads(pickle.dumps(home)), home)
        self.assertNotEqual(self.home, home)

    def test_it_travels_and_takes_tables_of_any_library(self):
        again = pickle.loads(pickle.dumps(self.chain))
        self.assertEqual((again, hash(again)), (self.chain, hash(self.chain)))
        expected = self.chain(self.table)
        self.assertEqual(again(self.table), expected)
        self.assertEqual(pa.Table.from_batches(again.map_batches(iter(self.table.to_batches(max_chunksize=2)))).to_pylist(), expected.to_pylist())
        frame = self.chain(pl.DataFrame(self.table))
        self.assertIsInstance(frame, pl.DataFrame)
        self.assertEqual(frame["impot_net"].to_list(), expected["impot_net"].to_pylist())
        self.assertIn("`adultes` ARRAY<STRUCT<", self.chain.spark_schema)
        self.assertEqual(self.chain.output_schema.names, expected.column_names[1:])
        self.assertIsNone(self.chain.check(self.table.schema))

    def test_everything_that_does_not_fit_is_said_at_once(self):
        with self.assertRaises(bareme.PlanError) as caught:
            self.home.after(self.pay, give={"net_imposabl": "salaire", "net": "salair", "net_imposable": "pension"})
        message = str(caught.exception)
        self.assertEqual(caught.exception.code, "champ_inconnu")
        for part in ["vouliez-vous dire `net_imposable`", "`salair` n’est pas un paramètre", "months=12"]:
            self.assertIn(part, message)


class Lists(unittest.TestCase):
    """A list of an answer is a list of structs."""

    CASES = {
        "ir": ("tranches", {"revenu": ["30000", "250000.50"]}),
        "salaire": ("bulletin", {"brut": ["2650.37", "6000"], "employeur": ["true", "true"]}),
        "partage": ("heritiers", {"actif": ["600000", "90000"], "lien": ["enfant;enfant;autre", "frere_soeur"]}),
        "pret": ("echeancier", {"montant": ["10000", "2000"], "taux": ["3.5", "1"], "duree": ["24", "12"], "echeancier": ["true", "true"]}),
    }

    def test_their_elements_are_those_of_single_calculations(self):
        for name, (field, columns) in self.CASES.items():
            plan = rules.plan(name, fields=[field], date=DAY)
            answers = plan(pa.table({column: pa.array(values) for column, values in columns.items()}))
            self.assertTrue(pa.types.is_struct(answers.schema.field(field).type.value_type), name)
            # A loan follows no dated scale.
            day = {} if name == "pret" else {"date": DAY}
            for row, found in enumerate(answers.to_pylist()):
                alone = rules.calculate(name, **day, **{column: values[row] for column, values in columns.items()})[field]
                self.assertEqual(len(found[field]), len(alone), (name, found["message"]))
                self.assertGreater(len(alone), 0)
                for element, expected in zip(found[field], alone):
                    given = {member: value for member, value in element.items() if value is not None}
                    plain = {member: value for member, value in expected.items() if value is not None}
                    self.assertEqual(set(given), set(plain), name)
                    for member, value in plain.items():
                        # What has members of its own is JSON.
                        own = json.loads(given[member], parse_float=Decimal) if isinstance(value, (dict, list)) else given[member]
                        self.assertEqual(own, value, (name, member))
            refused = plan(pa.table({column: pa.array(["x"]) for column in columns}))
            self.assertEqual(refused[field].to_pylist(), [None])


class Splitmix:
    """The generator that the manual names."""

    def __init__(self, seed: int):
        self.state = seed

    def next(self) -> int:
        mask = (1 << 64) - 1
        self.state = mixed = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        return mixed ^ (mixed >> 31)


class Measures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rank = np.arange(ROWS)
        cents = 1_150_000 + 37_919 * rank + 13 * (rank**2 % 977)
        random = np.random.default_rng(7)
        weights = 10 + rank % 9
        cls.replicates = np.array([weights * random.integers(0, 3, ROWS) for _ in range(REPLICATES)])
        cls.weights, cls.region = weights.astype(float), np.where(rank % 3 == 0, "nord", "sud")
        cls.all_income = (cents + 250_000 * (rank % 4)) / 100
        columns = {
            "revenu": amounts(Decimal(int(one)) / 100 for one in cents),
            "poids": pa.array(weights),
            "region": cls.region,
            "disponible": amounts(Decimal(int(one)) / 100 for one in cents + 250_000 * (rank % 4)),
        }
        columns |= {f"poids_{at}": pa.array(one) for at, one in enumerate(cls.replicates)}
        cls.table = pa.table(columns)
        cls.reform = rules.with_figures({"ir.bareme[2].rate": "12%", "ir.bareme[3].rate": "29%"}, since=DAY)
        cls.before, cls.after = (one.plan("ir", fields=["impot_net"], date=DAY) for one in (rules, cls.reform))
        taxes = [plan(cls.table.select(["revenu"]))["impot_net"].to_pylist() for plan in (cls.before, cls.after)]
        cls.old, cls.new = (np.array([float(one) for one in tax]) for tax in taxes)
        cls.gain = cls.old - cls.new
        assert (cls.gain > 0).any() and (cls.gain < 0).any()

    def effect(self, **options) -> bareme.Impact:
        return bareme.impact(self.table, self.before, self.after, **{"weight": "poids", **options})

    def close(self, found, expected, relative=1e-9, absolute=0.0):
        np.testing.assert_allclose([float(one) for one in found], expected, rtol=relative, atol=absolute)

    def statistics(self, weights, chosen=None) -> dict:
        """The numbers of a group by some weights."""
        chosen = np.ones(ROWS, bool) if chosen is None else chosen
        weights = np.where(chosen, weights, 0)
        change = self.new - self.old
        return {
            "before": weights @ self.old,
            "after": weights @ self.new,
            "difference": weights @ change,
            "mean_difference": weights @ change / weights.sum(),
            "winners": weights[self.gain > 0].sum() / weights.sum(),
            "losers": weights[self.gain < 0].sum() / weights.sum(),
            "gain_share": weights @ self.gain / (weights @ self.all_income),
        }

    def check_errors(self, row: dict, replicates: list, whole: dict | None, scale: float):
        """Errors around the number of the whole sample, or around the mean of the replicates."""
        for name in replicates[0]:
            values = np.array([one[name] for one in replicates])
            middle = values.mean() if whole is None else whole[name]
            expected = np.sqrt(scale * ((values - middle) ** 2).sum())
            self.close([row[f"{name}_error"]], [expected], 1e-6, {"mean_difference": 6e-5}.get(name, 6e-7) if expected < 1000 else 0)

    def test_gains_are_a_share_of_a_named_income(self):
        effect = self.effect(income="disponible", by=["region", "centile:revenu"], rows=True)
        total = effect.totals.to_pylist()[0]
        self.close([total["gain_share"]], [self.statistics(self.weights)["gain_share"]], 0, 6e-7)
        self.close([total["mean_income"]], [np.average(self.all_income, weights=self.weights)], 0, 6e-5)
        self.close((row["gain_share"] for row in effect.rows.to_pylist()), self.gain / self.all_income, 0, 6e-7)
        regions = {row["value"]: row for row in effect.groups.to_pylist() if row["by"] == "region"}
        for name, row in regions.items():
            self.close([row["gain_share"]], [self.statistics(self.weights, self.region == name)["gain_share"]], 0, 6e-7)
        # Without a name it is the income of the calculation.
        share = self.effect().totals.to_pylist()[0]["gain_share"]
        own = np.array([float(one) for one in self.table["revenu"].to_pylist()])
        self.close([share], [self.weights @ self.gain / (self.weights @ own)], 0, 6e-7)

    def test_centiles_of_income_have_their_mean_effect_and_a_curve(self):
        effect = self.effect(income="disponible", by="centile:disponible")
        rows = effect.groups.to_pylist()
        # The centile of a household is that of the weight of those that have less.
        order = np.argsort(self.all_income, kind="stable")
        below = np.empty(ROWS)
        below[order] = np.concatenate([[0], np.cumsum(self.weights[order])[:-1]])
        part = np.floor(100 * below / self.weights.sum() + 1e-9).astype(int) + 1
        self.assertEqual([int(row["value"]) for row in rows], sorted(set(part)))
        frame = pd.DataFrame({"part": part, "weight": self.weights, "gain": self.weights * self.gain, "income": self.weights * self.all_income})
        sums = frame.groupby("part").sum()
        self.close((-row["mean_difference"] for row in rows), sums["gain"] / sums["weight"], 0, 6e-5)
        self.close((row["gain_share"] for row in rows), sums["gain"] / sums["income"], 0, 6e-7)
        page = effect._repr_html_()
        self.assertIn("Gain moyen, en €", page)
        self.assertIn("Gain, en % du revenu", page)

    def test_errors_by_replicate_weights(self):
        for scale in [None, Decimal("0.25")]:
            effect = self.effect(income="disponible", by="region", replicates="poids_", replicate_scale=scale)
            factor = 1 / REPLICATES if scale is None else float(scale)
            for row, chosen in [(effect.totals.to_pylist()[0], None)] + [(row, self.region == row["value"]) for row in effect.groups.to_pylist()]:
                replicates = [self.statistics(weights, chosen) for weights in self.replicates]
                self.check_errors(row, replicates, self.statistics(self.weights, chosen), factor)
        self.assertEqual(json.loads(effect.json[0])["replication"], {"method": "weights", "count": REPLICATES, "scale": 0.25})
        self.assertIn("Erreur type de l’écart", str(effect))
        self.assertIsNone(self.effect().totals.to_pylist()[0]["difference_error"])

    def test_errors_by_bootstrap_are_those_of_the_seed(self):
        draws, seed = 9, 42
        options = {"income": "disponible", "by": "region", "bootstrap": draws, "seed": seed}
        effect = self.effect(**options)
        weights = []
        for draw in range(draws):
            random = Splitmix(Splitmix(seed ^ Splitmix(draw).next()).next())
            drawn = np.bincount([random.next() % ROWS for _ in range(ROWS)], minlength=ROWS)
            weights.append(self.weights * drawn)
        for row, chosen in [(effect.totals.to_pylist()[0], None)] + [(row, self.region == row["value"]) for row in effect.groups.to_pylist()]:
            self.check_errors(row, [self.statistics(one, chosen) for one in weights], None, 1 / (draws - 1))
        # The same rows in other batches, and again: the same numbers. Another seed: others.
        cut = pa.Table.from_batches(self.table.to_batches(max_chunksize=17))
        self.assertEqual(bareme.impact(cut, self.before, self.after, weight="poids", **options).totals, effect.totals)
        other = self.effect(**{**options, "seed": 43}).totals.to_pylist()[0]["difference_error"]
        self.assertNotEqual(other, effect.totals.to_pylist()[0]["difference_error"])

    def test_marginal_rates_of_rows_are_those_of_a_hundred_more(self):
        rows = self.effect(rows=True).rows.to_pylist()
        more = self.table.select(["revenu"]).set_column(0, "revenu", amounts(one + 100 for one in self.table["revenu"].to_pylist()))
        for plan, tax, name in [(self.before, self.old, "before"), (self.after, self.new, "after")]:
            raised = np.array([float(one) for one in plan(more)["impot_net"].to_pylist()])
            self.close((row[f"marginal_rate_{name}"] for row in rows), (raised - tax) / 100, 0, 1e-9)

    def test_totals_have_the_unit_that_is_chosen_in_the_page_alone(self):
        large = self.table.set_column(1, "poids", pa.array((1_000_000 * self.weights).astype(int)))
        found = {unit: bareme.impact(large, self.before, self.after, weight="poids", totals_in=unit) for unit in ("ones", "millions", "billions")}
        cost = 1_000_000 * (self.weights @ (self.new - self.old))
        for unit, power, decimals, word in [("millions", 1e6, 1, "M€"), ("billions", 1e9, 2, "Md€")]:
            shown = f"{abs(cost) / power:_.{decimals}f}".replace("_", "\u202f").replace(".", ",")
            self.assertIn(f"{shown}\u00a0{word}", found[unit]._repr_html_())
            self.assertEqual(found[unit].totals, found["ones"].totals)

    def test_what_has_no_effect_is_refused(self):
        for options in [
            {"seed": 1},
            {"replicate_scale": 1},
            {"replicates": "poids_", "bootstrap": 5},
            {"replicates": "absent_"},
            {"replicates": "poids_", "replicate_scale": -1},
            {"bootstrap": 1},
            {"income": "absent"},
            {"totals_in": "dozens"},
        ]:
            with self.assertRaises(bareme.PlanError) as caught:
                self.effect(**options)
            self.assertEqual(caught.exception.code, "effet", options)

    def test_a_grid_has_the_cost_of_each_pair_of_values(self):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place, "menages.parquet")
            pq.write_table(self.table.select(["revenu", "poids"]), path)
            words = ["impact", "ir", path, "--rules", RULES, "--after", DAY, "--weight", "poids", "--field", "impot_net"]
            words += ["--figure", "bareme[2].rate=11..12:1", "--figure", "bareme[3].rate=29..31:1"]
            run = [sys.executable, "-c", COMMAND, *map(str, words)]
            grid = json.loads(subprocess.run([*run, "--format", "json"], check=True, capture_output=True, text=True).stdout)
            page = subprocess.run([*run, "--totals-in", "millions"], check=True, capture_output=True, text=True).stdout
        self.assertEqual((grid["format"], len(grid["points"])), ("impact-grid/1", 6))
        for point in grid["points"]:
            second, third = point["values"]
            reform = rules.with_figures({"ir.bareme[2].rate": f"{second}%", "ir.bareme[3].rate": f"{third}%"}, since=DAY)
            tax = reform.plan("ir", fields=["impot_net"], date=DAY)(self.table.select(["revenu"]))["impot_net"].to_pylist()
            self.close([point["difference"]], [self.weights @ (np.array([float(one) for one in tax]) - self.old)])
        self.assertIn("M€", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
