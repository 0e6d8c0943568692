"""The language models of an experiment: their training texts and files.

Paths are relative to the folder of a language pair, `results/<task>/<src>-<tgt>`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nlmt.errors import InputError
from nlmt.kinds import KINDS
from nlmt.lm.kinds import ModelSettings
from nlmt.lm.places import FOLDER, RUN
from nlmt.lm.plan import ModelPlan, TrainingResources
from nlmt.needs import size_mb
from nlmt.paper_settings import fitting, paper_of
from nlmt.registry import check_name, nearest
from nlmt.settings import to_plain

CLASSES = {"words": "classes", "tuples": "tuples/classes", "source": "source-classes"}

BITEXT_PARTS = ("train", "dev", "test")  # texts for training and perplexities of a model


@dataclass(frozen=True)
class Model:
    """One language model, of one run where each run trains its own.

    Attributes:
        name: its name, without the run.
        settings: its entry, with the parts of the model from which its training starts.
        plan: its plan.
        feature: beginning of the names of its features: LM, NLM ...; TM, NTM of tuples.
        seed: of its training, unless its entry has one.
        sets: name of the set for its train, dev and test, where it learns from a further bitext.
        models: all models.
        run: the run that trains it; None for one that all runs share.
    """

    name: str
    settings: ModelSettings
    plan: ModelPlan
    feature: str
    seed: int
    sets: Mapping[str, str]
    models: "Models"
    run: int | None = None

    @property
    def id(self) -> str:
        """Its name, with the run where each run trains its own: `nce/run2`."""
        return self.name if self.run is None else f"{self.name}{RUN}{self.run}"

    @property
    def units(self) -> str:
        """Its units: `words`, `tuples` or `source`."""
        return self.settings.units

    @property
    def folder(self) -> str:
        """The folder of its files."""
        return f"{FOLDER}/{self.id}"

    @property
    def files(self) -> list[str]:
        """The files of the trained model; the first represents it."""
        return [f"{self.folder}/{file}" for file in self.plan.files]

    @property
    def read_files(self) -> list[str]:
        """The files that are read to use it: its own, then its component models'."""
        return [*self.files, *self._files_of(*self.plan.parts)]

    @property
    def curve(self) -> list[str]:
        """The file with its learning curve, if there is one."""
        return [] if self.plan.curve is None else [f"{self.folder}/{self.plan.curve}"]

    @property
    def resources(self) -> TrainingResources:
        """The resources of its training."""
        search = self.plan.search
        return search.resources if search and self._choice else self.plan.resources

    @property
    def parameters(self) -> dict[str, Any]:
        """The given keys, with the seed of its run, for its training.

        Run 1 has the seed of the settings, or else of the experiment.
        """
        given = to_plain(self.settings)
        if not _has_seed(self.settings):
            return given
        seed = given.get("seed", self.seed) + (0 if self.run is None else self.run - 1)
        return {**given, "seed": seed % 2**32}

    @property
    def texts(self) -> list[str]:
        """Names of its training texts in the target language."""
        return [] if self._of_bitext else list(self.settings.texts)

    @property
    def classes(self) -> list[str]:
        """The file of its word classes, if it needs any."""
        method, count = self.plan.classes, self.plan.class_count
        if method is None:
            return []
        folder = CLASSES[self.units]
        if self.units == "words":
            texts = "default" if self.plan.sees_source else "+".join(self.settings.texts)
            folder = f"{folder}/{texts}"
        return [f"{folder}/{method}.tsv" if count is None else f"{folder}/{method}.{count}.tsv"]

    def training_inputs(self, source: str, target: str) -> dict[str, list[str]]:
        """The files of a pair that its training reads, by their names in `train_<kind>_lm`."""
        plan = self.plan
        source_side = self.source_side("train", source, target)
        watched = plan.watches_test
        return {
            "texts": self.training_texts(source, target),
            "dev": [self.held_out_text("dev", source, target)],
            "classes": self.classes,
            "source": source_side[:1],
            "alignment": source_side[1:],
            "dev_source": self.source_side("dev", source, target),
            "test": [self.held_out_text("test", source, target)] if watched else [],
            "test_source": self.source_side("test", source, target) if watched else [],
            "chosen": self._choice,
            "source_embeddings": self._files_of(plan.source_embeddings),
            "start": self._files_of(plan.start),
            "models": self._files_of(*plan.parts),
        }

    def training_texts(self, source: str, target: str) -> list[str]:
        """Its training texts, in the form that its kind reads."""
        least = self.plan.min_count
        if self.units == "tuples":
            return ["tuples/train.gz"]
        if self._of_bitext:
            language = source if self.units == "source" else target
            return [_in_form(f"text/{self._set('train')}.{language}", least)]
        texts = self.settings.texts
        if least is None or len(texts) == 1:
            return [_in_form(f"texts/{text}", least) for text in texts]
        # Texts that are encoded together share a vocabulary.
        return [f"texts/{'+'.join(texts)}.min{least}/{text}.ids" for text in texts]

    def time_mb(self, source: str, target: str, inputs: Collection[tuple[str, float]]) -> float:
        """Megabytes of input, given files with their bytes, with which its training time grows."""
        if not self.resources.counts_operations:
            return size_mb(inputs, ())
        texts = self.training_texts(source, target)
        shares = self.plan.shares or (1.0,) * len(texts)
        return sum(
            share * size_mb(inputs, (text,)) for text, share in zip(texts, shares, strict=False)
        )

    def held_out_text(self, split: str, source: str, target: str) -> str:
        """The text for its perplexity, in the units of its training text."""
        if self.units == "tuples":
            return f"tuples/{split}.gz"
        language = source if self.units == "source" else target
        return f"text/{self._set(split)}.{language}.gz"

    def source_side(self, split: str, source: str, target: str) -> list[str]:
        """Source side, and alignment if needed, of a text for training or perplexity."""
        if not self.plan.sees_source:
            return []
        seen = target if self.plan.source == "reference" else source
        own = self._set(split)
        aligned = "tm/aligned.gz" if own == "train" else f"tm/{own}.aligned.gz"
        links = [aligned] if self.plan.source == "alignment" else []
        if split != "train":
            return [f"text/{own}.{seen}.gz", *links]
        # The vocabulary of the source is that of the model whose embeddings are used.
        if self.plan.source_embeddings is not None:
            of_source = self._of_run(self.plan.source_embeddings)
            return [*of_source.training_texts(source, source), *links]
        return [_in_form(f"text/{own}.{seen}", self.plan.source_min_count), *links]

    @property
    def _of_bitext(self) -> bool:
        """Whether it learns from a side of the bitext, or both, instead of a training text."""
        return self.units != "words" or self.plan.sees_source or bool(self.sets)

    @property
    def _choice(self) -> list[str]:
        """The file of the first run with its choice among settings, which the other runs take."""
        first, search = self.models[self.name], self.plan.search
        return [f"{first.folder}/{search.file}"] if search and self.run != first.run else []

    def _set(self, part: str) -> str:
        """The set for its train, dev or test: the task's, or its own bitext's."""
        return self.sets.get(part, part)

    def _files_of(self, *names: str | None) -> list[str]:
        """The files of other models, of the same run."""
        return [path for name in names if name is not None for path in self._of_run(name).files]

    def _of_run(self, name: str) -> "Model":
        return self.models[name] if self.run is None else self.models.of_run(name, self.run)


def _has_seed(settings: ModelSettings) -> bool:
    """Whether chance decides the training of a model."""
    return "seed" in type(settings).model_fields


def _in_form(text: str, least: int | None) -> str:
    """The file of a text: sentences, or encoded with the words of a least count."""
    return f"{text}.gz" if least is None else f"{text}.min{least}.ids"


@dataclass(frozen=True)
class Models:
    """Language models by name.

    Attributes:
        entries: the entries of `language_models` that are not null.
        texts: names of the training texts.
        seed: of models that have none of their own.
        further: names of the sets from further corpora, by corpus and part.
        papers: keys of all papers.
        runs: the runs that train their own models, the first of which represents a model; empty:
            all runs share them.
        further_runs: those that only some systems have, which no mean over runs includes.
        of_grids: names of models with a grid, which only papers have beside its points.
    """

    entries: Mapping[str, ModelSettings]
    texts: Collection[str]
    seed: int
    further: Mapping[str, Mapping[str, str]]
    papers: Collection[str]
    runs: Sequence[int] = ()
    further_runs: Sequence[int] = ()
    of_grids: Collection[str] = ()
    _planned: dict[str, Model] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Model:
        """The model of a name, or of a name and a run (`Model.id`): without a run, the first one.

        Raises:
            InputError: there is none, or its settings contradict each other.
        """
        name, _, run = name.partition(RUN)
        if not self.repeats(name):
            return self._plan(name)
        return replace(self._plan(name), run=int(run) if run else self.runs[0])

    def of_run(self, name: str, run: int) -> Model:
        """The model of a name that a run uses."""
        return replace(self._plan(name), run=run) if self.repeats(name) else self._plan(name)

    def of_runs(self, name: str) -> list[Model]:
        """The models of a name in the experiment's runs: one alone that they share."""
        return [self.of_run(name, run) for run in self.runs] if self.repeats(name) else [self[name]]

    def repeats(self, name: str) -> bool:
        """Whether each run trains a model of its own: it or a model in it has a seed."""
        if not self.runs:
            return False
        plan = self._plan(name).plan
        inside = [one for one in (plan.start, plan.source_embeddings, *plan.parts) if one]
        return _has_seed(self._plan(name).settings) or any(map(self.repeats, inside))

    def ids(self) -> list[str]:
        """The models of all runs (`Model.id`), those of some systems alone included."""
        found = []
        for name in self.entries:
            further = self.further_runs if self.repeats(name) else ()
            found += [*self.of_runs(name), *(self.of_run(name, run) for run in further)]
        return [model.id for model in found]

    def _plan(self, name: str) -> Model:
        """The model of a name without its run, planned at its first use."""
        if name not in self._planned:
            settings = self._completed(name)
            kind = KINDS.get(settings.kind)
            plan = kind.plan(settings)
            further = self.further.get(plan.bitext, {}) if plan.bitext else {}
            sets = {part: further[part] for part in BITEXT_PARTS if part in further}
            feature = kind.feature
            if settings.units == "tuples":
                feature = feature.replace("LM", "TM")
            self._planned[name] = Model(name, settings, plan, feature, self.seed, sets, self)
        return self._planned[name]

    def names(self) -> list[str]:
        """All names."""
        return list(self.entries)

    def paths(self, name: str, *files: str) -> list[str]:
        """Paths of files in the folder of a model in all runs; none where there is no such model.

        All files of the first run come first.
        """
        if name not in self.entries:
            return []
        return [f"{model.folder}/{file}" for model in self.of_runs(name) for file in files]

    def of_report(self) -> list[str]:
        """The models that a pair's report shows: over words, and for no paper."""
        return [
            name
            for name, entry in self.entries.items()
            if entry.units == "words" and paper_of(name, self.papers) is None
            if name not in self.of_grids
        ]

    def neural(self, names: Iterable[str]) -> list[str]:
        """The neural networks among models and their component models."""
        found = [
            model for name in names for model in (name, *self[name].plan.parts) if self[model].curve
        ]
        return list(dict.fromkeys(found))

    def check(self) -> None:
        """Refuse settings that training would refuse after hours of other work.

        Raises:
            InputError: names the model and the key.
        """
        for name in self.entries:
            try:
                _ = self[name]
            except InputError as error:
                what = f"language_models.{name}: {error.what}"
                raise InputError(what, hint=error.hint) from error
        for name in self.entries:
            model = self[name]
            _check_texts(model)
            for other in (model.plan.source_embeddings, *model.plan.parts):
                if other is not None and other not in self.entries:
                    raise self._unknown(other, f"language_models.{name}: ")
            _check_bitext(model)
            _check_source(model)
            _check_parts(model)

    def _completed(self, name: str, starting: tuple[str, ...] = ()) -> ModelSettings:
        """The entry of a model, with the parts of the model from which its training starts.

        The training of the `starting` models starts from it.
        """
        if name not in self.entries:
            raise self._unknown(name)
        if name in starting:
            raise InputError(f"start_from: {name} starts from itself")
        return self.entries[name].completed(lambda other: self._completed(other, (*starting, name)))

    def _unknown(self, name: str, where: str = "") -> InputError:
        """The error for a name that no model has."""
        hint = nearest(name, fitting(name, self.entries, self.papers))
        return InputError(f"{where}unknown language model {name!r}", hint=hint)


def _check_texts(model: Model) -> None:
    where, texts = f"language_models.{model.name}.texts", model.settings.texts
    for text in texts:
        check_name(text, model.models.texts, f"{where}: unknown text")
    # The default does no harm, and undoes what an entry has from another one.
    if model.texts or texts == ("default",):
        return
    if model.units != "words":
        what = f"units: {model.units}"
    else:
        what = f"bitext: {model.plan.bitext}" if model.sets else "a source"
    hint = "leave texts out: it learns from a bitext"
    raise InputError(f"{where} has no effect with {what}", hint=hint)


def _check_bitext(model: Model) -> None:
    corpus = model.plan.bitext
    for part in BITEXT_PARTS if corpus is not None else ():
        if part not in model.sets:
            what = f"language_models.{model.name}.bitext: "
            what += f"held_out has no set that is the part {part} of {corpus}"
            raise InputError(what, hint=f"held_out: {{NAME: {{corpus: {corpus}, part: {part}}}}}")


def _check_source(model: Model) -> None:
    other = model.plan.source_embeddings
    if other is None:
        return
    where, of_source = f"language_models.{model.name}: source", model.models[other]
    dim = of_source.plan.dim
    if of_source.units != "source" or dim is None:
        what = f"{where}_embeddings: {other} is not a neural model of the source language"
        raise InputError(what, hint=f"language_models.{other}: units: source")
    if model.plan.source_dim not in (None, dim):
        what = f"{where}_dim: the embeddings of {other} have {dim} numbers"
        raise InputError(what, hint=f"source_dim: {dim}")


def _check_parts(model: Model) -> None:
    for name in model.plan.parts:
        part, where = model.models[name], f"language_models.{model.name}: {name}"
        if part.units != model.units:
            raise InputError(f"{where} is a model of {part.units}", hint="name models of words")
        if part.plan.sees_source:
            raise InputError(f"{where} sees the source", hint="name models without a source")
        if part.plan.parts:
            what = f"{where} is itself a combination of models"
            raise InputError(what, hint="name its models")
