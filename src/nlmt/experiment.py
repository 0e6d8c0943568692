"""The language models and systems of a configuration: what each is made of, which files it has.

Paths are those below the folder of a language pair, `results/<task>/<src>-<tgt>`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nlmt.errors import InputError
from nlmt.neural.config import NETWORKS, Architecture, NeuralConfig
from nlmt.neural.costs import BYTES
from nlmt.neural.parameters import MEMORIES

NEURAL_FILES = ("model.safetensors", "config.json", "vocabulary.txt", "classes.tsv")
SOURCE_FILE = "source-vocabulary.txt"  # of a model that sees the source
# Keys of a neural model's entry that say what it is trained on and by whom, not what it is made of.
WORKFLOW_KEYS = ("classes", "units", "source_embeddings", "processes")


@dataclass(frozen=True)
class Experiment:
    """Entries of `config.yaml` that have been held against its schema.

    Attributes:
        models: the language models by name.
        systems: by name, the baseline first.
        baseline: the system that the others are compared with.
        seeds: of the tuning runs.
        neural_decoder: whether the decoder takes neural models.
    """

    models: Mapping[str, Mapping[str, Any]]
    systems: Mapping[str, Mapping[str, Any]]
    baseline: str
    seeds: tuple[int, ...]
    neural_decoder: bool = True

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Experiment":
        """The experiment of a configuration; systems that are null are left out.

        Raises:
            InputError: no system, or one that names what is not there or what its decoder has not.
        """
        systems = {name: system for name, system in config["systems"].items() if system is not None}
        if not systems:
            raise InputError("config: systems: all are left out")
        baseline = config["evaluation"]["baseline"]
        # In front also where the configuration of a paper, whose systems come first, was put above.
        systems = {baseline: known(systems, baseline, "evaluation.baseline"), **systems}
        experiment = cls(
            config["language_models"],
            systems,
            baseline,
            tuple(config["tuning"]["seeds"]),
            config["decoder"]["engine"] != "moses",
        )
        for model, settings in experiment.models.items():
            if settings["kind"] == "neural":
                experiment._check_neural(model)
        for model in experiment.seeing_source():
            experiment._check_source(model)
        for name in systems:
            experiment._check(name)
        return experiment

    def of_kind(self, kind: str) -> list[str]:
        """Names of the language models of one kind, over words."""
        return [name for name in self.over_words() if self.models[name]["kind"] == kind]

    def over_words(self) -> list[str]:
        """Names of the language models whose words are those of the target language."""
        return [name for name in self.models if self._units(name) == "words"]

    def model_files(self, model: str) -> list[str]:
        """The files of a trained language model; the first stands for it."""
        if self.models[model]["kind"] == "ngram":
            return [f"lm/{model}/model.binary"]
        parts = (*NEURAL_FILES, SOURCE_FILE) if self.sees_source(model) else NEURAL_FILES
        return [f"lm/{model}/{part}" for part in parts]

    def over_tuples(self, model: str) -> bool:
        """Whether the words of a model are bilingual tuples."""
        return self._units(model) == "tuples"

    def over_source(self, model: str) -> bool:
        """Whether the words of a model are those of the source language."""
        return self._units(model) == "source"

    def sees_source(self, model: str) -> bool:
        """Whether a model of words is conditioned on the source."""
        return self._sight(model).source != "none"

    def sees_places(self, model: str) -> bool:
        """Whether it asks where in the source each of its words belongs."""
        return self._sight(model).needs_alignment

    def seeing_source(self) -> list[str]:
        """Names of the models that are conditioned on the source."""
        return [name for name in self.models if self.sees_source(name)]

    def gpus(self, model: str) -> int:
        """GPUs that training a model asks for: one a process, where it is to have any."""
        settings = self.models[model]
        return int(settings.get("processes", 1)) if settings.get("device") == "gpu" else 0

    def table_mb(self, model: str) -> int:
        """Memory of training for the direct features, whose table is as large as one likes.

        Parameters, the best ones so far, what the optimiser remembers, a checkpoint being written.
        """
        training = NeuralConfig.from_dict(parts_of(self.models[model])).training
        copies = 3 + len(MEMORIES[training.optimiser])
        features: int = self.models[model].get("direct_features", 0)
        return copies * BYTES * features // 10**6

    def training_text(self, model: str, source: str, target: str) -> str:
        """What a language model is trained on, as a rule of the target language.

        Words of a bitext have a source, those of other texts in `lm/text.gz` have none. Neural
        models of words read their texts as numbers.
        """
        settings = self.models[model]
        if self.over_tuples(model):
            return "tuples/train.gz"
        text = "lm/text"
        if self.over_source(model) or self.sees_source(model):
            text = f"text/train.{source if self.over_source(model) else target}"
        if settings["kind"] == "ngram":
            return f"{text}.gz"
        # The back-off model of a short-list has all words.
        least = 1 if settings.get("output") == "short-list" else self._least(model)
        return f"{text}.min{least}.ids"

    def source_side(self, model: str, split: str, source: str) -> list[str]:
        """Source text, and alignment if asked for, of what a model is trained or measured on."""
        if not self.sees_source(model):
            return []
        if split != "train":
            text = f"text/{split}.{source}.gz"
            return [text, f"tm/{split}.aligned.gz"] if self.sees_places(model) else [text]
        # The words of the source are those of the model whose embeddings are taken.
        other = self.models[model].get("source_embeddings")
        text = (
            f"text/train.{source}.min{self._least(model)}.ids"
            if other is None
            else self.training_text(other, source, source)
        )
        return [text, "tm/aligned.gz"] if self.sees_places(model) else [text]

    def embeddings(self, model: str) -> list[str]:
        """The files of the model of the source language that gives a model its source vectors."""
        name = self.models[model].get("source_embeddings")
        return [] if name is None else self.model_files(name)

    def held_out_text(self, model: str, split: str, source: str, target: str) -> str:
        """What a language model is measured on, dev or test, in the words of its training text."""
        if self.over_tuples(model):
            return f"tuples/{split}.gz"
        return f"text/{split}.{source if self.over_source(model) else target}.gz"

    def classes_file(self, model: str) -> str:
        """The word classes of a neural model, as its key `classes` says."""
        folder = {"words": "classes", "tuples": "tuples/classes", "source": "source-classes"}
        return f"{folder[self._units(model)]}/{self.models[model].get('classes', 'brown')}.tsv"

    def decoded_by(self, system: str) -> str:
        """The system whose translations `system` works on: itself, where it decodes."""
        return str(self.systems[system].get("decoded_by", system))

    def decoder_files(self, system: str) -> list[str]:
        """All files of the language models that a system decodes with."""
        return self._files(model["name"] for model in self._inside(system))

    def decoder_features(self, system: str) -> list[dict[str, Any]]:
        """Path and order or kind of scores of each language model in a system's moses.ini."""
        features: list[dict[str, Any]] = []
        for inside in self._inside(system):
            name = inside["name"]
            model = self.models[name]
            if model["kind"] == "ngram":
                features.append({"path": self.model_files(name)[0], "order": model["order"]})
            else:
                scores = inside.get("scores", "normalised")
                features.append({"path": f"lm/{name}", "scores": scores})
        return features

    def rescoring_files(self, system: str) -> list[str]:
        """All files of the language models that a system rescores with."""
        return self._files(self.systems[system]["rescored_with"])

    def rescoring_features(self, system: str) -> dict[str, str]:
        """File of each model that rescores by its feature, numbered on from the decoder's.

        LM<i> is an n-gram model, NLM<i> a neural one; TM<i> and NTM<i> are those of tuples.
        """
        return {label: self.model_files(name)[0] for label, name in self._features(system).items()}

    def models_of(self, systems: Iterable[str]) -> list[str]:
        """Names of the language models that any of these systems decodes or rescores with."""
        names = [
            name
            for system in systems
            for name in (
                *(model["name"] for model in self._inside(self.decoded_by(system))),
                *self.systems[system].get("rescored_with", ()),
            )
        ]
        return list(dict.fromkeys(names))

    def tuple_features(self, system: str) -> list[str]:
        """Those of the features of rescoring that are of tuples."""
        return [label for label, name in self._features(system).items() if self.over_tuples(name)]

    def needs_alignment(self, system: str) -> bool:
        """Whether a system that rescores the lists of this one needs their word alignments."""
        return any(
            self.over_tuples(model) or self.sees_places(model)
            for name, other in self.systems.items()
            if self.decoded_by(name) == system and "lattice" not in other
            for model in other.get("rescored_with", ())
        )

    def on_lattices(self) -> list[str]:
        """The systems that rescore lattices, not n-best lists."""
        return [name for name, system in self.systems.items() if "lattice" in system]

    def lattice_items(self, system: str) -> int | None:
        """Items a node of a system that rescores lattices; None: no bound."""
        items: int | None = self.systems[system]["lattice"]["items"]
        return items

    def hypotheses(self, system: str) -> list[str]:
        """The test translations of all runs of a system."""
        stage = "rescore" if "rescored_with" in self.systems[system] else "decode"
        return [f"{stage}/{system}/run{run}/test.hyp" for run in self.seeds]

    def _least(self, model: str) -> int:
        """How often a word has to occur so that a neural model knows it."""
        return int(self.models[model].get("min_count", Architecture().min_count))

    def _inside(self, system: str) -> list[Mapping[str, Any]]:
        """The language models inside the decoder of a system, each a mapping with its name."""
        models = self.systems[system]["language_models"]
        return [{"name": model} if isinstance(model, str) else model for model in models]

    def _features(self, system: str) -> dict[str, str]:
        """Label and name of each model that rescores."""
        inside = [model["name"] for model in self._inside(self.decoded_by(system))]
        names = [*inside, *self.systems[system]["rescored_with"]]
        kinds = [
            ("" if self.models[name]["kind"] == "ngram" else "N")
            + ("TM" if self.over_tuples(name) else "LM")
            for name in names
        ]
        labels = [f"{kind}{kinds[:place].count(kind)}" for place, kind in enumerate(kinds)]
        return dict(zip(labels[len(inside) :], names[len(inside) :], strict=True))

    def _files(self, models: Iterable[str]) -> list[str]:
        return [path for model in models for path in self.model_files(model)]

    def _sight(self, model: str) -> Architecture:
        """What a model sees of the source; nothing else of its parts."""
        return Architecture(source=self.models[model].get("source", Architecture().source))

    def _units(self, model: str) -> str:
        return str(self.models[model].get("units", "words"))

    def _check_neural(self, model: str) -> None:
        """What training would refuse after hours of other work."""
        where, settings = f"config: language_models.{model}", self.models[model]
        try:
            training = NeuralConfig.from_dict(parts_of(settings)).training
        except InputError as error:
            raise InputError(f"{where}: {error.what}", hint=error.hint) from error
        if settings.get("processes", 1) > 1 and training.engine == "kernel":
            what = f"{where}: processes: {settings['processes']} train in torch"
            raise InputError(what, hint="engine: auto or torch")

    def _check_source(self, model: str) -> None:
        where = f"config: language_models.{model}: source"
        settings = self.models[model]
        if self.over_tuples(model):
            raise InputError(f"{where}: tuples hold the source already")
        if self.over_source(model):
            raise InputError(f"{where}: a model of the source language sees no other")
        wanted = self._sight(model).takes_embeddings
        if wanted != ("source_embeddings" in settings):
            needs = "needs" if wanted else "has no use for"
            what = f"{where}: {settings['source']} {needs} source_embeddings"
            hint = "name a neural model with units: source" if wanted else "leave it out"
            raise InputError(what, hint=hint)
        if not wanted:
            return
        other = settings["source_embeddings"]
        known(self.models, other, "language model")
        if self.models[other]["kind"] == "ngram" or not self.over_source(other):
            what = f"{where}_embeddings: {other} is no neural model of the source language"
            raise InputError(what, hint=f"language_models.{other}: units: source")
        dim = self.models[other].get("dim", Architecture().dim)
        if settings.get("source_dim", Architecture().source_dim) != dim:
            what = f"{where}_dim: the embeddings of {other} have {dim} numbers"
            raise InputError(what, hint=f"source_dim: {dim}")

    def _check(self, name: str) -> None:
        """Every model and system that a system names is there, and its engine can take them."""
        system = self.systems[name]
        for model in system.get("rescored_with", []):
            known(self.models, model, "language model")
            if self.over_source(model):
                where = f"config: systems.{name}.rescored_with: {model}"
                raise InputError(f"{where}: models of the source language score no translations")
        self._check_lattice(name)
        decoding = self.decoded_by(name)
        if "language_models" not in known(self.systems, decoding, "system"):
            raise InputError(f"config: systems.{name}.decoded_by: {decoding} does not decode")
        for inside in self._inside(decoding):
            kind = known(self.models, inside["name"], "language model")["kind"]
            where = f"config: systems.{decoding}.language_models: {inside['name']}"
            if self.over_tuples(inside["name"]):
                raise InputError(f"{where}: models of tuples rescore, they do not decode")
            if self.over_source(inside["name"]):
                raise InputError(f"{where}: models of the source language score no translations")
            if self.sees_source(inside["name"]):
                raise InputError(f"{where}: models that see the source rescore, they do not decode")
            settings = self.models[inside["name"]]
            unfit = {"network": NETWORKS[1:], "output": ("short-list",)}
            for key, values in unfit.items():
                if settings.get(key) in values:
                    what = f"{where}: models of {key}: {settings[key]} rescore, they do not decode"
                    raise InputError(what)
            if kind == "ngram" and "scores" in inside:
                raise InputError(f"{where}: only neural models have a choice of scores")
            if kind != "ngram" and not self.neural_decoder:
                raise InputError(
                    f"{where}: Moses has no neural models (decoder.engine: nlmt has them)"
                )

    def _check_lattice(self, name: str) -> None:
        if "lattice" not in self.systems[name]:
            return
        where = f"config: systems.{name}.lattice"
        if not self.neural_decoder:
            raise InputError(f"{where}: Moses writes no lattices (decoder.engine: nlmt does)")
        for model in self.systems[name]["rescored_with"]:
            if self.over_tuples(model):
                raise InputError(f"{where}: {model}: models of tuples rescore lists")
            network = self.models[model].get("network", "feed-forward")
            if self.lattice_items(name) is None and network != "feed-forward":
                raise InputError(f"{where}: items: {model} remembers all words and needs a bound")


def parts_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a neural model's entry that `NeuralConfig` knows."""
    return {key: value for key, value in settings.items() if key not in WORKFLOW_KEYS}


def known(entries: Mapping[str, Any], name: str, what: str) -> Any:
    """The entry of that name.

    Raises:
        InputError: there is none; names those that there are.
    """
    if name not in entries:
        raise InputError(f"config: unknown {what} {name!r} (allowed: {', '.join(entries)})")
    return entries[name]
