"""Income tax of households on a cluster: ``spark-submit … job.py households answers``, Parquet to Parquet."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

import bareme

households, answers = sys.argv[1:]
fields = ["impot_net", "taux_marginal", "taux_effectif", "plafonnement"]
plan = bareme.load().plan("ir", fields=fields, date="2026-03-31", keep=["id"])

session = SparkSession.builder.getOrCreate()
frame = session.read.parquet(households)
# Columns that do not fit are refused here, before a task is sent.
plan.check(to_arrow_schema(frame.schema))
frame.mapInArrow(plan.map_batches, f"id BIGINT, {plan.spark_schema}").write.parquet(answers)
