"""Processor time of the programs that a benchmark runs."""

import resource


def children_seconds() -> float:
    """CPU seconds of all programs that were run and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
