"""What the Python package does, beside the tables of the engines: ``checks.py RULES HOUSEHOLDS``, the latter of the examples."""

import datetime
import json
import multiprocessing
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import bareme
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

RULES, HOUSEHOLDS = Path(sys.argv[1]), sys.argv[2]
DAY = "2026-03-31"
rules = bareme.load(RULES)
FOLLOWING = ["bareme_en_vigueur", "version", "avertissements", "reserves", "erreur", "champ", "message"]


COMMAND = "import sys; from bareme.command import main; sys.exit(main())"
# Rows whose fields are rates, numbers and amounts, with reserves on some figures.
SINGLES = {
    "ir": [{"revenu": "30000"}, {"revenu": "300000", "parts": "2.5"}],
    "salaire": [{"brut": "2650.37"}, {"brut": "2480", "employeur": "true", "heures_supplementaires": "17.33"}],
    "salaire-net/ci": [{"brut": "350000", "parts": "2.5"}, {"brut": "75000"}],
    "is": [{"resultat": "100000", "ca": "900000"}],
    "tva-afrique": [{"pays": "cameroun", "montant": "477000", "sens": "ttc"}, {"pays": "senegal"}],
}


def incomes(values, data_type=None) -> pa.Table:
    return pa.table({"revenu": pa.array(values, data_type or pa.decimal128(12, 2))})


def plan_of(**options) -> bareme.Plan:
    return rules.plan("ir", **{"fields": ["impot_net"], "date": DAY, **options})


class Case(unittest.TestCase):
    def code(self, kind, code, call) -> bareme.Error:
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class OfRules(Case):
    def test_bytes_make_the_same_rules(self):
        again = bareme.load(rules.to_bytes())
        self.assertEqual((again.hash, again.version), (rules.hash, rules.version))
        self.assertEqual(again.to_bytes(), rules.to_bytes())
        self.assertEqual(bareme.load(str(RULES)).hash, rules.hash)
        self.assertEqual(pickle.loads(pickle.dumps(rules)).hash, rules.hash)

    def test_mistakes_are_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "zz").mkdir()
            Path(folder, "zz", "method.yaml").write_text("format: bareme/1\nformat: bareme/1\n")
            error = self.code(bareme.RulesError, "regles", lambda: bareme.load(folder))
            self.assertIn("erreur[Y02]", str(error))
            self.assertIn("method.yaml:2", str(error))
            self.code(bareme.RulesError, "regles", lambda: bareme.load(Path(folder, "absent")))

    def test_other_bytes_are_refused(self):
        for wrong in [b"", b"rules", rules.to_bytes()[:1000]]:
            self.code(bareme.RulesError, "paquet", lambda: bareme.load(wrong))

    def test_what_there_is_can_be_listed(self):
        names = rules.list()
        self.assertEqual(names[0], "ir")
        self.assertIn("salaire-net/ci", names)
        self.assertEqual(len(names), len(set(names)))
        first = rules.inputs("ir")[0]
        self.assertEqual((first["nom"], first["obligatoire"], first["defaut"]), ("revenu", True, None))
        self.assertEqual([one["nom"] for one in rules.inputs("salaire-net")][:2], ["pays", "brut"])


class OfOneCase(Case):
    def test_an_answer_has_decimals_and_its_order(self):
        answer = rules.calculate("ir", revenu=30000, date=DAY)
        self.assertEqual(list(answer)[:3], ["impot_net", "taux_marginal", "taux_effectif"])
        self.assertEqual((answer["impot_net"], type(answer["impot_net"])), (2104, Decimal))
        self.assertEqual(answer["tranches"][1]["taux"], Decimal("0.11"))
        self.assertIs(answer["plafonnement"], False)

    def test_parameters_are_what_python_has(self):
        day = datetime.date(2026, 3, 31)
        expected = rules.calculate("ir", revenu="30000", case_l="false", date=DAY)
        for income in [30000, Decimal("30000.00"), Decimal("3E+4"), np.int64(30000)]:
            self.assertEqual(rules.calculate("ir", revenu=income, case_l=False, date=day), expected)

    def test_what_is_not_exact_is_refused(self):
        for wrong in [30000.5, np.float64(1), None, [1], datetime.datetime(2026, 3, 31, 12)]:
            with self.assertRaises(TypeError):
                rules.calculate("ir", revenu=wrong)
        with self.assertRaisesRegex(TypeError, "float"):
            rules.calculate("ir", revenu=30000.5)
        with self.assertRaises(ValueError):
            rules.calculate("ir", revenu=Decimal("NaN"))

    def test_a_refusal_says_every_parameter(self):
        error = self.code(bareme.RefusedError, "inconnu", lambda: rules.calculate("ir", revenu="12,5", part=2))
        self.assertEqual([(bad["nom"], bad["code"], bad["recu"]) for bad in error.parameters], [("part", "inconnu", "2"), ("revenu", "format", "12,5")])
        self.assertEqual(set(error.parameters[0]), {"nom", "code", "message", "recu", "accepte"})
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.code, again.parameters), (str(error), error.code, error.parameters))
        missing = self.code(bareme.RefusedError, "manquant", lambda: rules.calculate("ir"))
        self.assertIsNone(missing.parameters[0]["recu"])

    def test_a_folder_is_called_like_its_endpoint(self):
        by_word = rules.calculate("salaire-net", pays="ci", brut=350000, date=DAY)
        self.assertEqual(rules.calculate("salaire-net/ci", brut=350000, date=DAY), by_word)
        self.code(bareme.PlanError, "bareme_inconnu", lambda: rules.calculate("salaire-net/zz", brut=1))
        self.code(bareme.RefusedError, "inconnu", lambda: rules.calculate("salaire-net/ci", brut=1, pays="be"))

    def test_steps_are_those_of_the_detail(self):
        detailed = rules.calculate("ir", revenu=30000, date=DAY, detail=True)["etapes"]
        self.assertEqual(rules.explain("ir", revenu=30000, date=DAY), detailed)
        self.assertEqual(detailed[0]["nom"], "unite")


class OfTables(Case):
    def test_a_table_says_what_single_calculations_say(self):
        households = pq.read_table(HOUSEHOLDS).slice(0, 1000)
        answers = plan_of(keep=["id"])(households).to_pylist()
        for given, answer in zip(households.to_pylist(), answers):
            self.assertEqual(given.pop("id"), answer["id"])
            try:
                alone = rules.calculate("ir", date=DAY, **{name: value for name, value in given.items() if value is not None})
                self.assertEqual((alone["impot_net"], None), (answer["impot_net"], answer["erreur"]))
            except bareme.RefusedError as error:
                self.assertEqual((answer["impot_net"], answer["erreur"]), (None, error.code))

    def test_warnings_are_those_of_single_calculations(self):
        households = pa.table({"revenu": incomes([30000, 50000])["revenu"], "parts": [2, 1.5], "case_l": [True, True]})
        households = households.set_column(1, "parts", households["parts"].cast(pa.decimal128(4, 2)))
        for given, answer in zip(households.to_pylist(), plan_of()(households).to_pylist()):
            alone = rules.calculate("ir", date=DAY, **given).get("avertissements")
            listed = answer["avertissements"] and [{name: one for name, one in warning.items() if one is not None} for warning in answer["avertissements"]]
            self.assertEqual(listed, alone)

    def test_rates_amounts_and_what_is_said_are_those_of_single_calculations(self):
        for name, rows in SINGLES.items():
            plan = rules.plan(name, date=DAY)
            columns = {column for row in rows for column in row}
            table = pa.table({column: pa.array([row.get(column) for row in rows], pa.string()) for column in sorted(columns)})
            answers = plan(table)
            fields = plan.output_schema.names[: -len(FOLLOWING)]
            self.assertTrue(any(pa.types.is_decimal(field.type) and field.type.scale >= 6 for field in plan.output_schema), name)
            for read in [answers, *self.files(answers, rows, name)]:
                for row, found in zip(rows, read.to_pylist()):
                    alone = rules.calculate(name, **{"date": DAY, **row})
                    for field in fields:
                        self.assertEqual(found[field], alone.get(field), (name, field, row))
                    remarks = [remark for reference in alone["references"] for remark in reference.get("reserves", [])] + alone.get("reserves", [])
                    self.assertEqual(json.loads(found["reserves"] or "[]"), remarks)
                    self.assertEqual(found["version"], alone["version"])

    def files(self, answers: pa.Table, rows: list, name: str):
        """The answers as Parquet and Arrow files hold them: written here, and by the command from the rows."""
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, "written.parquet")
            pq.write_table(answers, written)
            yield pa.table(duckdb.read_parquet(str(written)))
            source = Path(folder, "rows.jsonl")
            source.write_text("".join(json.dumps(row) + "\n" for row in rows))
            for ending, read in {"parquet": pq.read_table, "arrow": lambda path: pa.ipc.open_file(path).read_all()}.items():
                out = Path(folder, f"out.{ending}")
                command = [sys.executable, "-c", COMMAND, "batch", name, source, "--rules", RULES, "--date", DAY, "--output", out]
                subprocess.run([str(word) for word in command], check=True, capture_output=True)
                table = read(out)
                self.assertLessEqual(set(answers.column_names[: -len(FOLLOWING)]), set(table.column_names))
                yield table

    def test_answers_are_of_the_library_of_the_table(self):
        plan, table = plan_of(), incomes([30000, 50000])
        expected = plan(table)
        self.assertEqual(expected.column_names, ["impot_net", *FOLLOWING])
        self.assertEqual(expected["impot_net"].to_pylist(), [2104, 8104])
        batch = plan(table.to_batches()[0])
        self.assertIsInstance(batch, pa.RecordBatch)
        self.assertEqual(pa.table(batch).to_pylist(), expected.to_pylist())
        self.assertEqual(plan(table.to_reader()).to_pylist(), expected.to_pylist())
        frame = plan(pl.DataFrame(table))
        self.assertIsInstance(frame, pl.DataFrame)
        self.assertEqual(frame["impot_net"].to_list(), [2104, 8104])
        answers = plan(duckdb.from_arrow(table))
        self.assertIsInstance(answers, bareme.Table)
        self.assertEqual((len(answers), pa.table(answers).to_pylist()), (2, expected.to_pylist()))
        self.assertIn("<td>2104.00</td>", answers._repr_html_())
        frame = plan(pd.DataFrame({"revenu": [30000, 50000]}))
        self.assertEqual(pa.Table.from_pandas(frame, preserve_index=False).to_pylist(), expected.to_pylist())
        with self.assertRaisesRegex(TypeError, "list"):
            plan([1, 2])

    def test_rows_keep_their_order_in_any_cut(self):
        plan = plan_of(keep=["id"])
        table = pq.read_table(HOUSEHOLDS)
        expected = plan(table)
        self.assertEqual(expected["id"], table["id"])
        for rows in [999, 40_000, 200_000]:
            self.assertEqual(plan(pa.Table.from_batches(table.combine_chunks().to_batches(rows))).combine_chunks(), expected.combine_chunks())
        with ThreadPoolExecutor(4) as pool:
            for answers in pool.map(plan, [table] * 4):
                self.assertEqual(answers, expected)

    def test_other_threads_of_python_go_on(self):
        table, ends = pq.read_table(HOUSEHOLDS), threading.Event()
        worker = threading.Thread(target=lambda: (plan_of(keep=["id"])(table), ends.set()))
        turns = 0
        worker.start()
        while not ends.is_set():
            turns += 1
            ends.wait(0.001)
        worker.join()
        self.assertGreater(turns, 5)

    def test_floats_are_refused_unless_a_rounding_is_named(self):
        floats = incomes([30000.1], pa.float64())
        error = self.code(bareme.PlanError, "colonne_flottante", lambda: plan_of()(floats))
        self.assertIn("virgule flottante", str(error))
        self.assertEqual(plan_of(float_decimals=2)(floats)["impot_net"].to_pylist(), [2104])

    def test_columns_that_do_not_fit_are_refused(self):
        for code, columns in {"colonne_absente": ["parts"], "colonne_inconnue": ["revenu", "part"]}.items():
            table = pa.table({name: [1] for name in columns})
            self.code(bareme.PlanError, code, lambda: plan_of()(table))
        self.code(bareme.PlanError, "colonne_gardee", lambda: plan_of(keep=["id"])(incomes([1])))
        times = incomes([0], pa.timestamp("s"))
        self.code(bareme.PlanError, "type_de_colonne", lambda: plan_of()(times))
        self.code(bareme.PlanError, "champ_inconnu", lambda: plan_of(fields=["impot"]))
        self.code(bareme.PlanError, "bareme_inconnu", lambda: rules.plan("irr"))
        self.assertEqual(plan_of(map={"rni": "revenu"})(incomes([30000]).rename_columns(["rni"]))["impot_net"].to_pylist(), [2104])
        for wrong in [{"date": "hier"}, {"date": "2026-02-30"}]:
            with self.assertRaises(ValueError):
                plan_of(**wrong)
        with self.assertRaises(TypeError):
            plan_of(fields="impot_net")

    def test_what_no_amount_holds_is_refused_row_by_row(self):
        wide = [Decimal(30000), Decimal("9" * 38), None]
        for data_type in [pa.decimal128(38, 0), pa.decimal256(76, 2)]:
            answers = plan_of()(incomes(wide, data_type))
            self.assertEqual(answers["impot_net"].to_pylist(), [2104, None, None])
            self.assertIsNone(answers["erreur"][0].as_py())
            self.assertIn(answers["erreur"][1].as_py(), ["trop_de_chiffres", "hors_bornes"])
            self.assertEqual(answers["erreur"][2].as_py(), "manquant")

    def test_every_type_that_holds_a_number_is_read(self):
        one = pa.array(["30000"])
        types = [pa.int32(), pa.uint64(), pa.string(), pa.large_string(), pa.string_view(), pa.decimal32(9, 2), pa.decimal64(18, 2), pa.decimal256(40, 2)]
        for column in [*(one.cast(pa.int64()).cast(data_type) if not pa.types.is_decimal(data_type) else pa.array([Decimal(30000)], data_type) for data_type in types), one.dictionary_encode()]:
            self.assertEqual(plan_of()(pa.table({"revenu": column}))["impot_net"].to_pylist(), [2104], column.type)

    def test_amounts_may_stand_anywhere_in_memory(self):
        amounts = pa.array([Decimal(30000), Decimal(50000)], pa.decimal128(12, 2))
        moved = pa.py_buffer(bytes(8) + amounts.buffers()[1].to_pybytes()).slice(8)
        array = pa.Array.from_buffers(amounts.type, 2, [None, moved])
        self.assertEqual(plan_of()(pa.table({"revenu": array}))["impot_net"].to_pylist(), [2104, 8104])

    def test_an_empty_table_has_the_same_columns(self):
        full = plan_of()(incomes([1])).schema
        self.assertEqual(plan_of()(incomes([])).schema, full)
        self.assertEqual(plan_of()(pa.Table.from_batches([], incomes([1]).schema)).schema, full)
        self.assertEqual(plan_of()(incomes([1]).slice(1).combine_chunks()).num_rows, 0)
        batch = plan_of()(pa.RecordBatch.from_pylist([], incomes([1]).schema))
        self.assertEqual((batch.schema, batch.num_rows), (full, 0))
        self.assertEqual(plan_of().output_schema, full)

    def test_a_file_cut_short_is_an_error(self):
        with tempfile.NamedTemporaryFile(suffix=".parquet") as cut:
            content = Path(HOUSEHOLDS).read_bytes()
            cut.write(content[: len(content) // 2])
            cut.flush()
            with self.assertRaises(pa.ArrowInvalid):
                plan_of()(ds.dataset(cut.name).scanner().to_reader())
            with self.assertRaises(duckdb.Error):
                plan_of()(duckdb.read_parquet(cut.name))

    def test_a_stream_that_breaks_is_an_error(self):
        def batches():
            yield incomes([30000]).to_batches()[0]
            raise OSError("the disk is gone")

        reader = pa.RecordBatchReader.from_batches(incomes([1]).schema, batches())
        error = self.code(bareme.PlanError, "table_illisible", lambda: plan_of()(reader))
        self.assertIn("the disk is gone", str(error))

    def test_schemas_say_what_comes_in_and_out(self):
        plan = plan_of()
        self.assertEqual(plan.input_schema.field("revenu"), pa.field("revenu", pa.decimal128(18, 2), nullable=False))
        self.assertEqual(plan(incomes([1])).schema, plan.output_schema)
        self.assertTrue(plan.spark_schema.startswith("`impot_net` DECIMAL(18,2), `bareme_en_vigueur` DATE, `version` STRING, "))
        self.assertIn("`avertissements` ARRAY<STRUCT<`code`: STRING, `texte`: STRING, `parametre`: STRING>>", plan.spark_schema)
        self.assertEqual((plan.name, plan.date, plan.hash), ("ir", DAY, rules.hash))


def in_fork(table: pa.Table) -> list:
    return plan_of()(table).to_pylist()


class OfWorkers(Case):
    FRESH = "import pickle, sys; plan, table = pickle.load(sys.stdin.buffer); pickle.dump(plan(table).to_pylist(), sys.stdout.buffer)"

    def fresh(self, *pickled) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-c", self.FRESH], input=pickle.dumps(pickled), capture_output=True)

    def test_a_plan_computes_the_same_in_a_fresh_process(self):
        plan = plan_of(keep=["rni"], map={"rni": "revenu"}, float_decimals=2)
        table = incomes([30000, None, -1]).rename_columns(["rni"])
        done = self.fresh(plan, table)
        self.assertEqual(pickle.loads(done.stdout), plan(table).to_pylist(), done.stderr)

    def test_a_fork_has_threads_of_its_own(self):
        table = pq.read_table(HOUSEHOLDS).slice(0, 100_000).drop_columns("id")
        expected = in_fork(table)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map_async(in_fork, [table, table]).get(60), [expected, expected])

    def test_workers_do_not_mix_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(RULES, folder, dirs_exist_ok=True)
            # A label is part of an answer, and no worked case holds it.
            method = Path(folder, "ir", "method.yaml")
            text = method.read_text()
            method.write_text(text.replace("Impôt avec toutes les parts", "Impôt de toutes les parts"))
            changed = bareme.load(folder)
        self.assertNotEqual(changed.hash, rules.hash)
        before, after = plan_of(), changed.plan("ir", fields=["impot_net"], date=DAY)
        # Each plan computes by its own rules, also in one process.
        versions = [set(pickle.loads(pickle.dumps(plan))(incomes([30000]))["version"].to_pylist()) for plan in (before, after)]
        self.assertEqual(len(versions[0] | versions[1]), 2)
        restore, arguments = before.__reduce__()
        self.code(bareme.RulesError, "empreinte", lambda: restore(arguments[0], changed.to_bytes(), *arguments[2:]))
        self.code(bareme.RulesError, "version", lambda: restore("0.0.1", *arguments[1:]))

    def test_batches_of_other_engines_have_texts(self):
        plan = plan_of(keep=["revenu"])
        batches = incomes([30000, 50000]).to_batches(1)
        computed = list(pickle.loads(pickle.dumps(plan.map_batches))(iter(batches)))
        self.assertTrue(all(isinstance(batch, pa.RecordBatch) for batch in computed))
        self.assertEqual(computed[0].schema.field("version").type, pa.string())
        self.assertEqual(pa.Table.from_batches(computed).to_pylist(), plan(incomes([30000, 50000])).to_pylist())
        self.assertEqual(plan.map_batches(incomes([30000])).num_rows, 1)
        self.assertEqual(list(plan.map_batches(iter([]))), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
