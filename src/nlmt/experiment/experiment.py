"""A checked configuration as the rules ask it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nlmt.corpora import WHOLE, given_parts, references
from nlmt.errors import InputError
from nlmt.experiment.checks import check_engine, check_systems
from nlmt.experiment.config import DEFAULT_TEXT, Config, TextSettings, read_config
from nlmt.experiment.models import Models
from nlmt.experiment.papers import PAPERS, PaperSettings, paper_of
from nlmt.experiment.systems import Systems
from nlmt.registry import nearest

HELD_OUT = ("dev", "test", "dev2")  # of the experiment's corpus
TEXT_PARTS = ("bitext", "monolingual")


class Experiment:
    """An experiment.

    Attributes:
        config: all keys.
        models: the language models.
        systems: the systems.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        systems = {name: entry for name, entry in config.systems.items() if entry is not None}
        baseline = config.evaluation.baseline
        if not systems:
            raise InputError("systems: all are left out")
        if baseline not in systems:
            what = f"evaluation.baseline: unknown system {baseline!r}"
            raise InputError(what, hint=nearest(baseline, systems))
        self.models = Models(config.language_models, self.texts(), config.seed)
        self.systems = Systems(
            systems,
            self.models,
            tuning=config.tuning,
            rescoring=config.rescoring,
            test_sets=config.test_sets,
            baseline=baseline,
        )

    @classmethod
    def read(cls, values: Mapping[str, Any], files: Iterable[Path] = ()) -> "Experiment":
        """Check a configuration as far as it can be without looking at any data.

        Args:
            values: all configuration files laid over each other.
            files: those files, for messages.

        Raises:
            InputError: a line for each fault; names the key and what is allowed.
        """
        experiment = cls(read_config(values, files))
        experiment.models.check()
        check_systems(
            experiment.systems,
            experiment.models,
            experiment.sets(),
            embedded_decoder=experiment.embedded_decoder,
        )
        experiment._check_texts()
        experiment._check_pairs(experiment.config.pairs, "pairs")
        return experiment

    @property
    def embedded_decoder(self) -> bool:
        """Whether the decoder is our own, not a Moses."""
        return self.config.decoder.engine != "moses"

    def check_engine(self, system: str) -> None:
        """Hold a system that is about to run against the decoder.

        Raises:
            InputError: the decoder cannot take its models, or write what it rescores.
        """
        check_engine(self.systems, self.models, system, embedded_decoder=self.embedded_decoder)

    def texts(self) -> dict[str, TextSettings]:
        """Training texts by name."""
        return {DEFAULT_TEXT: TextSettings(), **self.config.texts}

    def sets(self) -> list[str]:
        """Names of all sets to tune and test on."""
        return [*HELD_OUT, *self.config.held_out]

    def parts(self) -> list[str]:
        """Parts of the experiment's corpus: train, and what is held out."""
        return ["train", *(part for part in HELD_OUT if part != "dev2" or self.has_dev2())]

    def has_dev2(self) -> bool:
        """Whether the experiment's corpus has a second set to tune on."""
        given = given_parts(self.config.corpora[self.config.corpus])
        if WHOLE in given or "dev2" in given:
            return True
        # It would be taken from the user's training text.
        return any(self.systems.tuning_set(name) == "dev2" for name in self.systems.of_report())

    def origin(self, split: str) -> tuple[str, str]:
        """The corpus and the part of it that a set comes from."""
        if split in self.config.held_out:
            held_out = self.config.held_out[split]
            return held_out.corpus, held_out.part
        return self.config.corpus, split

    def reference_names(self, split: str, source: str, target: str) -> list[str]:
        """File names of all references of a set, the first being its target side."""
        corpus, part = self.origin(split)
        count = references(corpus, self.config.corpora[corpus], (source, target), part)
        more = [f"{split}.ref{number}.{target}.gz" for number in range(2, count + 1)]
        return [f"{split}.{target}.gz", *more]

    def languages(self) -> dict[str, str]:
        """Languages of the experiment's corpus."""
        return dict(self.config.corpora[self.config.corpus].languages)

    def check_pair(self, pair: str, key: str) -> tuple[str, str]:
        """Source and target language of a pair such as fr-en.

        Raises:
            InputError: the corpus lacks a language, or both are the same.
        """
        source, _, target = pair.partition("-")
        languages = self.languages()
        for language in (source, target):
            if language not in languages:
                what = f"{key}: {pair}: the corpus {self.config.corpus} has no language "
                raise InputError(what + repr(language), hint=f"it has {', '.join(languages)}")
        if source == target:
            raise InputError(f"{key}: {pair}: source and target are the same language")
        return source, target

    def paper(self, key: str) -> PaperSettings:
        """The settings of a paper."""
        settings: PaperSettings = getattr(self.config.papers, key)
        return settings

    def paper_pairs(self, key: str) -> list[str]:
        """The language pairs that the tables of a paper show."""
        return list(self.paper(key).pairs or self.config.pairs)

    def paper_systems(self, key: str) -> list[str]:
        """The systems that belong to a paper, by their names."""
        return [name for name in self.systems.names() if paper_of(name) == key]

    def paper_models(self, key: str) -> list[str]:
        """The language models that belong to a paper, by their names."""
        return [name for name in self.models.names() if paper_of(name) == key]

    def _check_pairs(self, pairs: Iterable[str], key: str) -> None:
        for pair in pairs:
            self.check_pair(pair, key)
        for paper in PAPERS.names():
            for pair in self.paper(paper).pairs or ():
                self.check_pair(pair, f"papers.{paper}.pairs")

    def _check_texts(self) -> None:
        corpora = self.config.corpora
        if self.config.corpus not in corpora:
            what = f"corpus: unknown corpus {self.config.corpus!r}"
            raise InputError(what, hint=nearest(self.config.corpus, tuple(corpora)))
        for name, text in self.texts().items():
            where = f"texts.{name}"
            for part in text.corpora:
                if part not in TEXT_PARTS and part not in corpora:
                    known = (*TEXT_PARTS, *corpora)
                    what = f"{where}.corpora: unknown corpus {part!r}"
                    raise InputError(what, hint=nearest(part, known))
            sizes = (text.share, text.sentences, text.tokens)
            if sum(size is not None for size in sizes) > 1:
                raise InputError(f"{where}: give one of share, sentences and tokens")
        for name, held_out in self.config.held_out.items():
            if name in HELD_OUT or name == "train":
                raise InputError(f"held_out.{name}: the corpus {self.config.corpus} has this set")
            if held_out.corpus not in corpora:
                what = f"held_out.{name}.corpus: unknown corpus {held_out.corpus!r}"
                raise InputError(what, hint=nearest(held_out.corpus, tuple(corpora)))
