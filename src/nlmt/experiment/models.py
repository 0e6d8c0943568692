"""The language models of an experiment: their training texts and files.

Paths are relative to the folder of a language pair, `results/<task>/<src>-<tgt>`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from nlmt.errors import InputError
from nlmt.experiment.paper_settings import paper_of
from nlmt.lm.kinds import KINDS, ModelKind, ModelSettings, TrainingResources
from nlmt.registry import nearest
from nlmt.settings import to_plain

CLASSES = {"words": "classes", "tuples": "tuples/classes", "source": "source-classes"}

BITEXT_PARTS = ("train", "dev", "test")  # texts for training and perplexities of a model


class Models:
    """Language models by name.

    Args:
        settings: the entries of `language_models`.
        texts: names of the training texts.
        seed: of models that have none of their own.
        further: names of the sets from further corpora, by corpus and part.
        papers: keys of all papers.
    """

    def __init__(
        self,
        settings: Mapping[str, ModelSettings],
        texts: Iterable[str],
        seed: int,
        further: Mapping[str, Mapping[str, str]],
        papers: Collection[str],
    ) -> None:
        self._settings = settings
        self._seed = seed
        self._texts = tuple(texts)
        self._further = further
        self._papers = papers

    def check(self) -> None:
        """Refuse settings that training would refuse after hours of other work.

        Raises:
            InputError: names the model and the key.
        """
        for name in self._settings:
            self._check_start(name)
        for name, settings in self._settings.items():
            try:
                self.kind(name).check(settings)
                self.settings(name)
            except InputError as error:
                what = f"language_models.{name}: {error.what}"
                raise InputError(what, hint=error.hint) from error
            for text in settings.texts:
                if text not in self._texts:
                    what = f"language_models.{name}.texts: unknown text {text!r}"
                    raise InputError(what, hint=nearest(text, self._texts))
            self._check_bitext(name)
            self._check_source(name)
            self._check_parts(name)

    def names(self) -> list[str]:
        """All names."""
        return list(self._settings)

    def of_report(self) -> list[str]:
        """The models that a pair's report shows: over words, and of no paper."""
        return [
            name
            for name in self._settings
            if self.units(name) == "words" and paper_of(name, self._papers) is None
        ]

    def settings(self, name: str) -> ModelSettings:
        """The entry of a model, with the parts of the model from which its training starts.

        Raises:
            InputError: there is none, or it cannot start from that model.
        """
        entry, start = self._entry(name), self._other(name, "start")
        if start is None:
            return entry
        resolved: ModelSettings = self.kind(name).starting_from(entry, self.settings(start))
        return resolved

    def kind(self, name: str) -> ModelKind:
        """The kind of a model."""
        return KINDS.get(self._entry(name).kind)

    def parameters(self, name: str) -> dict[str, Any]:
        """The keys for its training: those that were given, and the experiment's seed."""
        settings = self.settings(name)
        seed = {"seed": self._seed} if "seed" in type(settings).model_fields else {}
        return {**seed, **to_plain(settings)}

    def units(self, name: str) -> str:
        """Its units: `words`, `tuples` or `source`."""
        return str(self.settings(name).units)

    def files(self, name: str) -> list[str]:
        """The files of a trained model; the first represents it."""
        return [f"lm/{name}/{part}" for part in self.kind(name).files(self.settings(name))]

    def parts(self, name: str) -> tuple[str, ...]:
        """Its component models."""
        return self.kind(name).parts(self.settings(name))

    def part_files(self, name: str) -> list[str]:
        """The files of its component models."""
        return [path for part in self.parts(name) for path in self.files(part)]

    def read_files(self, name: str) -> list[str]:
        """The files that are read to use it: its own, the first of which represents it.

        Those of its component models come after them.
        """
        return [*self.files(name), *self.part_files(name)]

    def inputs(self, name: str) -> list[str]:
        """Further files that its training reads, wherever they are."""
        return list(self.kind(name).inputs(self.settings(name)))

    def curve(self, name: str) -> list[str]:
        """The file with its learning curve, if there is one."""
        curve = self.kind(name).curve(self.settings(name))
        return [] if curve is None else [f"lm/{name}/{curve}"]

    def neural(self, names: Iterable[str]) -> list[str]:
        """The neural networks among models and their component models."""
        found = [
            model for name in names for model in (name, *self.parts(name)) if self.curve(model)
        ]
        return list(dict.fromkeys(found))

    def resources(self, name: str) -> TrainingResources:
        """The resources that its training requests."""
        return self.kind(name).resources(self.settings(name))

    def sees_source(self, name: str) -> bool:
        """Whether it is conditioned on the source sentence."""
        return self.kind(name).source(self.settings(name)) != "none"

    def needs_alignment(self, name: str) -> bool:
        """Whether it needs the source position to which each word belongs."""
        return self.kind(name).source(self.settings(name)) == "alignment"

    def sees_reference(self, name: str) -> bool:
        """Whether it is given the reference translation in place of the source."""
        return self.kind(name).source(self.settings(name)) == "reference"

    def texts(self, name: str) -> list[str]:
        """Names of its training texts in the target language."""
        of_bitext = self.units(name) != "words" or self.sees_source(name)
        return [] if of_bitext else list(self.settings(name).texts)

    def further_sets(self, name: str) -> list[str]:
        """The sets of a further corpus for its training and perplexities, if it has one."""
        corpus = self._bitext(name)
        return [] if corpus is None else [self._set(name, part) for part in BITEXT_PARTS]

    def training_texts(self, name: str, source: str, target: str) -> list[str]:
        """Its training texts, in the form that its kind reads."""
        settings, kind = self.settings(name), self.kind(name)
        units = self.units(name)
        if units == "tuples":
            return ["tuples/train.gz"]
        least = kind.encoded(settings)
        if units == "source" or self.sees_source(name):  # words of a bitext have a source
            text = f"text/{self._set(name, 'train')}.{source if units == 'source' else target}"
            return [f"{text}.gz" if least is None else f"{text}.min{least}.ids"]
        texts = list(settings.texts)
        if least is None:
            return [f"texts/{text}.gz" for text in texts]
        if len(texts) == 1:
            return [f"texts/{texts[0]}.min{least}.ids"]
        # Texts that are encoded together share a vocabulary.
        return [f"texts/{'+'.join(texts)}.min{least}/{text}.ids" for text in texts]

    def held_out_text(self, name: str, split: str, source: str, target: str) -> str:
        """The text for its perplexity, in the units of its training text."""
        if self.units(name) == "tuples":
            return f"tuples/{split}.gz"
        language = source if self.units(name) == "source" else target
        return f"text/{self._set(name, split)}.{language}.gz"

    def classes(self, name: str) -> list[str]:
        """Its word classes, if it needs any."""
        settings = self.settings(name)
        method = self.kind(name).classes(settings)
        if method is None:
            return []
        count = getattr(settings, "class_count", None)
        file = f"{method}.tsv" if count is None else f"{method}.{count}.tsv"
        folder = CLASSES[self.units(name)]
        if self.units(name) == "words" and not self.sees_source(name):
            folder = f"{folder}/{'+'.join(settings.texts)}"
        elif self.units(name) == "words":
            folder = f"{folder}/default"
        return [f"{folder}/{file}"]

    def source_side(self, name: str, split: str, source: str, target: str) -> list[str]:
        """Source side, and alignment if needed, of a text for training or perplexity."""
        if not self.sees_source(name):
            return []
        seen = target if self.sees_reference(name) else source
        own = self._set(name, split)
        aligned = "tm/aligned.gz" if own == "train" else f"tm/{own}.aligned.gz"
        links = [aligned] if self.needs_alignment(name) else []
        if split != "train":
            return [f"text/{own}.{seen}.gz", *links]
        # The vocabulary of the source is that of the model whose embeddings are used.
        other = self._other(name, "source_embeddings")
        if other is not None:
            return [*self.training_texts(other, source, source), *links]
        least = self.kind(name).encoded(self.settings(name))
        text = f"text/{own}.{seen}"
        return [f"{text}.gz" if least is None else f"{text}.min{least}.ids", *links]

    def watches_test(self, name: str) -> bool:
        """Whether its learning curve includes the perplexity of the test text."""
        return self.kind(name).watches_test(self.settings(name))

    def watched(self, name: str, source: str, target: str) -> list[str]:
        """The test text, where the learning curve includes its perplexity."""
        watched = self.watches_test(name)
        return [self.held_out_text(name, "test", source, target)] if watched else []

    def watched_source(self, name: str, source: str, target: str) -> list[str]:
        """Source text and alignment of the test text, where the learning curve includes it."""
        return self.source_side(name, "test", source, target) if self.watches_test(name) else []

    def source_embeddings(self, name: str) -> list[str]:
        """The files of the model of the source language whose embeddings it uses."""
        other = self._other(name, "source_embeddings")
        return [] if other is None else self.files(other)

    def start(self, name: str) -> list[str]:
        """The files of the model from which its training starts."""
        other = self._other(name, "start")
        return [] if other is None else self.files(other)

    def _entry(self, name: str) -> ModelSettings:
        if name not in self._settings:
            what = f"unknown language model {name!r}"
            raise InputError(what, hint=nearest(name, self._settings))
        return self._settings[name]

    def _other(self, name: str, role: str) -> str | None:
        return self.kind(name).other_models(self._entry(name)).get(role)

    def _bitext(self, name: str) -> str | None:
        return self.kind(name).bitext(self.settings(name))

    def _set(self, name: str, part: str) -> str:
        """The set for a model's train, dev or test: the task's, or one of its own bitext."""
        corpus = self._bitext(name)
        return part if corpus is None else self._further[corpus][part]

    def _check_bitext(self, name: str) -> None:
        corpus = self._bitext(name)
        if corpus is None:
            return
        where = f"language_models.{name}.bitext"
        for part in BITEXT_PARTS:
            if part not in self._further.get(corpus, {}):
                what = f"{where}: held_out has no set that is the part {part} of {corpus}"
                raise InputError(
                    what, hint=f"held_out: {{NAME: {{corpus: {corpus}, part: {part}}}}}"
                )

    def _check_source(self, name: str) -> None:
        where = f"language_models.{name}: source"
        other = self._other(name, "source_embeddings")
        if other is None:
            return
        settings, of_source = self.settings(name), self.settings(other)
        if self.units(other) != "source" or not hasattr(of_source, "dim"):
            what = f"{where}_embeddings: {other} is not a neural model of the source language"
            raise InputError(what, hint=f"language_models.{other}: units: source")
        dim = of_source.dim
        if getattr(settings, "source_dim", dim) != dim:
            what = f"{where}_dim: the embeddings of {other} have {dim} numbers"
            raise InputError(what, hint=f"source_dim: {dim}")

    def _check_parts(self, name: str) -> None:
        for part in self.parts(name):
            where = f"language_models.{name}: {part}"
            if self.units(part) != self.units(name):
                raise InputError(
                    f"{where} is a model of {self.units(part)}", hint="name models of words"
                )
            if self.sees_source(part):
                raise InputError(f"{where} sees the source", hint="name models without a source")
            if self.parts(part):
                what = f"{where} is itself a combination of models"
                raise InputError(what, hint="name its models")

    def _check_start(self, name: str) -> None:
        seen, present = {name}, self._other(name, "start")
        while present is not None:
            self._entry(present)
            if present in seen:
                raise InputError(f"language_models.{name}.start_from: {present} starts from itself")
            seen.add(present)
            present = self._other(present, "start")
