"""Income tax of the households of a Parquet file with Spark: ``python with_pyspark.py rules households.parquet``."""

import os
import sys
import time

from common import arguments, report
from pyspark.sql import SparkSession

# The workers run the Python that has the packages.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
plan, path = arguments()
session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
start = time.perf_counter()
households = session.read.parquet(path).repartition(4)
answers = households.mapInArrow(plan.map_batches, f"id BIGINT, {plan.spark_schema}")
table = answers.toArrow()
seconds = time.perf_counter() - start
session.stop()
report(table, seconds)
