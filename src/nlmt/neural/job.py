"""Training one model from files, in this process or in several that it starts.

`python -m nlmt.neural.job JSON` is one of several processes; `Job.start` runs it.
"""

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural.config import NeuralConfig
from nlmt.neural.folder import train_folder
from nlmt.neural.launch import interrupted_by_sigterm, start_together
from nlmt.neural.model import NeuralLM
from nlmt.neural.ranks import Ranks, joined
from nlmt.neural.source import SourceFiles
from nlmt.neural.task import Task

CHECKPOINT = "checkpoint"  # folder below that of the model


@dataclass(frozen=True)
class Job:
    """A model to be trained, as text that another process can read.

    Attributes:
        settings: of `NeuralConfig`.
        data: texts and what belongs to them.
        folder: of the model.
        threads: of the CPU, of each process.
    """

    settings: dict[str, Any]
    data: TrainingData
    folder: Path
    threads: int

    def run(self, ranks: Ranks) -> None:
        """Train, as one of the processes that train together; go on from a checkpoint that fits.

        Raises:
            InputError: as of `Task.read` and `train_folder`.
        """
        data = self.data
        with ranks.together():
            task = Task.read(
                NeuralConfig.from_dict(self.settings),
                data.texts,
                data.dev,
                data.classes,
                start=None if data.start is None else NeuralLM.load(data.start),
                sources=[SourceFiles(*files) for files in data.sources],
                dev_source=SourceFiles(*data.dev_source) if data.dev_source else None,
                source_embeddings=None
                if data.source_embeddings is None
                else NeuralLM.load(data.source_embeddings),
            )
        # Snakemake removes the outputs of an interrupted job, but not this folder.
        checkpoints = self.folder / CHECKPOINT
        result = train_folder(
            task,
            self.folder,
            checkpoints=checkpoints,
            resume="if it fits",
            threads=self.threads,
            ranks=ranks,
        )
        if ranks.first:
            checkpoints.rmdir()
            logging.info("dev perplexity %.2f", result.dev.perplexity)

    def start(self, processes: int) -> None:
        """Train in several processes of this machine, whose first one's messages are logged here.

        Raises:
            InputError: one of them failed; the first has said why.
        """
        command = [sys.executable, "-m", "nlmt.neural.job", self.to_json()]
        start_together(command, processes, self.threads, log=True)

    def to_json(self) -> str:
        """What `from_json` reads."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """Read what `to_json` wrote."""
        fields = json.loads(text)

        def paths(names: Sequence[str]) -> list[Path]:
            return [Path(name) for name in names]

        def path(name: str | None) -> Path | None:
            return None if name is None else Path(name)

        data = fields["data"]
        return cls(
            fields["settings"],
            TrainingData(
                texts=paths(data["texts"]),
                dev=Path(data["dev"]),
                classes=path(data["classes"]),
                sources=[paths(names) for names in data["sources"]],
                dev_source=paths(data["dev_source"]),
                source_embeddings=path(data["source_embeddings"]),
                start=path(data["start"]),
            ),
            Path(fields["folder"]),
            fields["threads"],
        )


def main(text: str) -> int:
    """What each of several processes does; the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    with interrupted_by_sigterm(), joined() as ranks:
        if not ranks.first:
            logging.disable(logging.INFO)
        try:
            Job.from_json(text).run(ranks)
        except (InputError, OSError) as error:
            if ranks.first:  # all have the same error
                logging.error("error: %s", error)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
