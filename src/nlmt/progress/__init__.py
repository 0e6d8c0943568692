"""What a person sees while the workflow runs (`snakemake --logger nlmt`)."""

from nlmt.progress.past import PastRuns
from nlmt.progress.run import Job, Run
from nlmt.progress.screen import Live, Plain

__all__ = ["Job", "Live", "PastRuns", "Plain", "Run"]
