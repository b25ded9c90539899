"""Income tax of the households of a Parquet file with Ray: ``python with_ray.py rules households.parquet``."""

import time

import pyarrow as pa
import ray
from common import arguments, report

plan, path = arguments()
ray.data.DataContext.get_current().enable_progress_bars = False
ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
start = time.perf_counter()
answers = ray.data.read_parquet(path).map_batches(plan.map_batches, batch_format="pyarrow")
table = pa.concat_tables(ray.get(answers.to_arrow_refs()))
seconds = time.perf_counter() - start
ray.shutdown()
report(table, seconds)
