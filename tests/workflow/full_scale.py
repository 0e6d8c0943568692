"""Print what `nlmt resources` prints of the papers and reports at full scale, and each job.

A line of a job has its rule and its outputs. `test_default_dag.py` runs it once for all that it
tests of this scale, as the plan takes a minute.
"""

import sys
from pathlib import Path

from nlmt.cli.resources import planned, table
from nlmt.experiment import estimate, measure_pace

CORES = 8

if __name__ == "__main__":
    experiment, jobs = planned(Path(sys.argv[1]), ["papers", "reports"], {"scale": "full"}, [])
    pace = measure_pace(experiment, [])
    print("\n".join(table(estimate(experiment, jobs, CORES, pace), CORES, pace)))
    for job in jobs:
        print(job.rule, *job.outputs)
