"""A metric by its own command: chrF++ of sacreBLEU, of each sentence (docs/extending.md)."""

import sys
from collections.abc import Sequence
from importlib.metadata import version

from nlmt.evaluation import SEGMENT_METRICS, SegmentMetric
from nlmt.io.files import read_lines, write_lines
from nlmt.io.temporary import temporary_folder
from nlmt.processes import run_program


class ChrfWithWords(SegmentMetric):
    """chrF++: chrF with n-grams of one and two words; `sources` are for metrics that see them."""

    name = "chrF++"

    def scores(
        self,
        sources: Sequence[str],
        translations: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> list[float]:
        """The scores that the command prints, a line a sentence."""
        with temporary_folder() as folder:
            write_lines(folder / "translations", translations)
            paths = [folder / f"reference{number}" for number in range(len(references))]
            for path, lines in zip(paths, references, strict=True):
                write_lines(path, lines)
            command = [sys.executable, "-m", "sacrebleu", *paths, "-i", folder / "translations"]
            command += ["-m", "chrf", "--chrf-word-order", "2", "-sl", "-b", "-w", "4"]
            run_program(command, output=folder / "scores")
            return [float(line) for line in read_lines(folder / "scores")]

    def signature(self) -> str:
        """Options and version of the command."""
        return f"sacrebleu -m chrf --chrf-word-order 2 -sl|version:{version('sacrebleu')}"


SEGMENT_METRICS.register("chrf++", ChrfWithWords())
