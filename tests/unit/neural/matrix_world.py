"""The texts that random models learn from, plain and encoded; see `neural_matrix`."""

from dataclasses import dataclass, replace
from pathlib import Path

from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, encode_texts, train_folder
from nlmt.vocabulary import Vocabulary

GOLDEN = Path(__file__).parents[2] / "golden"
# Smallest counts of a word that texts are encoded with.
MIN_COUNTS = (1, 2)
# Size of the word vectors of the source language.
SOURCE_DIM = 4
# Lines of the golden corpus. The dev text is no other than any of the two texts for training.
PARTS = {"train": (0, 240), "more": (200, 300), "dev": (300, 340)}


@dataclass(frozen=True)
class World:
    """The texts of all cases: the first lines of the golden corpus."""

    folder: Path

    def __post_init__(self) -> None:
        for name, (begin, end) in PARTS.items():
            for side in ("fr", "en"):
                self._write(f"{name}.{side}", GOLDEN / f"train.{side}", begin, end)
            self._write(f"{name}.links", GOLDEN / "aligned.grow-diag-final-and", begin, end)
        texts = [self.folder / "train.en", self.folder / "more.en"]
        lines = [line for text in texts for line in text.read_text().splitlines()]
        write_paths(brown_cluster(count_bigrams(lines), 12), self.folder / "classes")
        config = {"dim": SOURCE_DIM, "order": 2, "epochs": 1, "output": "full"}
        source = [self.folder / "train.fr", self.folder / "dev.fr"]
        task = Task.read(NeuralConfig.from_dict(config), TrainingData(source[:1], source[1]))
        train_folder(task, self.folder / "embeddings")
        for side in ("fr", "en"):
            for least in MIN_COUNTS:
                self._encode(side, f"{least}", least)
        words = NeuralLM.load(self.folder / "embeddings").vocabulary
        self._encode("fr", "embeddings", 1, words)

    def _write(self, name: str, text: Path, begin: int, end: int) -> None:
        lines = text.read_text(encoding="utf-8").splitlines()[begin:end]
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _encode(self, side: str, how: str, least: int, words: Vocabulary | None = None) -> None:
        """Both texts for training together, and the first one alone."""
        for number, names in ((2, ["train", "more"]), (1, ["train"])):
            texts = [self.folder / f"{name}.{side}" for name in names]
            out = [self.folder / f"{name}.{side}.{how}.{number}.ids" for name in names]
            encode_texts(texts, out, min_count=least, vocabulary=words)

    def task(self, config: NeuralConfig, *, encoded: bool = False) -> Task:
        """What a configuration learns from: two texts where it has two shares."""
        names = ["train", "more"][: max(1, len(config.resampling))]
        least = 1 if config.output == "short-list" else config.min_count
        how = {"en": f"{least}", "fr": f"{config.min_count}"}
        if config.takes_embeddings:
            how["fr"] = "embeddings"
        data = replace(
            self._data(config, names, how if encoded else {}), classes=self.folder / "classes"
        )
        vectors = NeuralLM.load(self.folder / "embeddings") if config.takes_embeddings else None
        return Task.read(config, data, source_embeddings=vectors)

    def further_task(self, config: NeuralConfig, start: NeuralLM) -> Task:
        """What a model goes on with: the second text, and the first where there are two shares."""
        names = ["more", "train"][: max(1, len(config.resampling))]
        return Task.read(config, self._data(config, names, {}), start=start)

    def _data(self, config: NeuralConfig, names: list[str], how: dict[str, str]) -> TrainingData:
        """Texts by name, with the encoding of each side that is encoded."""

        def text(name: str, side: str) -> Path:
            ending = f".{how[side]}.{len(names)}.ids" if how and name != "dev" else ""
            return self.folder / f"{name}.{side}{ending}"

        def source(name: str) -> SourceFiles:
            links = self.folder / f"{name}.links"
            return SourceFiles(text(name, "fr"), links if config.needs_alignment else None)

        data = TrainingData([text(name, "en") for name in names], text("dev", "en"))
        if config.source == "none":
            return data
        return replace(data, sources=[source(name) for name in names], dev_source=source("dev"))
