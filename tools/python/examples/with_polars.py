"""Income tax of the households of a Parquet file with Polars: ``python with_polars.py rules households.parquet``."""

import time

import polars as pl
from common import arguments, report

plan, path = arguments()
start = time.perf_counter()
answers = plan(pl.scan_parquet(path).collect())
seconds = time.perf_counter() - start
assert isinstance(answers, pl.DataFrame)
report(answers.to_arrow(), seconds)
