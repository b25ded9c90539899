"""Income tax of the households of a Parquet file with DuckDB: ``python with_duckdb.py rules households.parquet``."""

import time

import duckdb
from common import arguments, report

plan, path = arguments()
start = time.perf_counter()
answers = plan(duckdb.read_parquet(path))
# A name of Python is a table of DuckDB.
table = duckdb.sql("SELECT * FROM answers").to_arrow_table()
report(table, time.perf_counter() - start)
