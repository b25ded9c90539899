"""Income tax of the households of a Parquet file with DataFusion: ``python with_datafusion.py rules households.parquet``."""

import time

from common import arguments, report
from datafusion import SessionContext

plan, path = arguments()
start = time.perf_counter()
context = SessionContext()
answers = context.from_arrow(plan(context.read_parquet(path)), "answers")
table = answers.to_arrow_table()
report(table, time.perf_counter() - start)
