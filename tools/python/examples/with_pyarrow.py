"""Income tax of the households of a Parquet file with PyArrow: ``python with_pyarrow.py rules households.parquet``."""

import time

import pyarrow.parquet as pq
from common import arguments, report

plan, path = arguments()
start = time.perf_counter()
answers = plan(pq.read_table(path))
report(answers, time.perf_counter() - start)
