"""A short fuzz run; `make sanitize` does a long one under sanitizers."""

from pathlib import Path

from decoder_fuzz import run_cases


def test_damaged_models_end_in_a_message(tmp_path: Path) -> None:
    ends = run_cases(tmp_path, seed=1, first=0, seconds=60, most=150)
    assert min(ends["refused"], ends["translated"]) > 20
