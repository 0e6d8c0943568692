"""Display of a running workflow (Snakemake's `logger: nlmt`)."""

from nlmt.progress.failures import Failures
from nlmt.progress.past import PastRuns
from nlmt.progress.run import Run
from nlmt.progress.screen import Live, Plain

__all__ = ["Failures", "Live", "PastRuns", "Plain", "Run"]
