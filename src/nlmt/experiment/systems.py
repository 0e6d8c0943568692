"""The systems of an experiment: their models, files, tuning and test sets.

Paths are relative to the folder of a language pair, `results/<task>/<src>-<tgt>`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from nlmt.errors import InputError
from nlmt.experiment.models import Models
from nlmt.experiment.paper_settings import paper_of
from nlmt.experiment.system_settings import DecoderModel, SystemSettings
from nlmt.io.moses_ini import Feature
from nlmt.registry import nearest
from nlmt.settings import Settings, to_plain
from nlmt.tuning.feature_names import keep_names, select_named


class Systems:
    """Systems by name, the baseline first.

    Args:
        settings: the entries of `systems` that are not null.
        models: the language models.
        tuning: the key `tuning`, which systems override.
        rescoring: the key `rescoring`, which systems override.
        test_sets: the key `test_sets`, which systems override.
        baseline: the system with which the others are compared.
        papers: keys of all papers.
    """

    def __init__(
        self,
        settings: Mapping[str, SystemSettings],
        models: Models,
        *,
        tuning: Settings,
        rescoring: Settings,
        test_sets: tuple[str, ...],
        baseline: str,
        papers: Collection[str],
    ) -> None:
        self._settings = settings
        self._models = models
        self._tuning, self._rescoring = tuning, rescoring
        self._test_sets = test_sets
        self._baseline = baseline
        self._papers = papers

    def names(self) -> list[str]:
        """All names."""
        return list(self._settings)

    def paper(self, name: str) -> str | None:
        """The paper to which it belongs, if any."""
        return paper_of(name, self._papers)

    def of_report(self) -> list[str]:
        """The systems that a pair's report compares: those of no paper, the baseline first."""
        own = [name for name in self._settings if self.paper(name) is None]
        return sorted(own, key=lambda name: name != self._baseline)

    def settings(self, name: str) -> SystemSettings:
        """The entry of a system.

        Raises:
            InputError: there is none.
        """
        if name not in self._settings:
            raise InputError(f"unknown system {name!r}", hint=nearest(name, self._settings))
        return self._settings[name]

    def label(self, name: str) -> str:
        """Its name in tables."""
        return self.settings(name).label

    def baseline(self, name: str) -> str:
        """The system with which it is compared."""
        return self.settings(name).baseline or self._baseline

    def compared_with(self, name: str) -> list[str]:
        """The systems from which its difference is tested, the baseline first."""
        every = (self.baseline(name), *self.settings(name).compared_with)
        return [other for other in dict.fromkeys(every) if other != name]

    def paired_with(self, name: str) -> list[str]:
        """The systems among `compared_with` whose run k has its tuned weights, so its lists."""
        own = self.tuned_by(name)
        return [other for other in self.compared_with(name) if self.tuned_by(other) == own]

    def rescores(self, name: str) -> bool:
        """Whether it rescores the lists or lattices of another system."""
        return self.settings(name).rescored_with is not None

    def decoded_by(self, name: str) -> str:
        """The system whose translations it uses: itself, where it decodes.

        Of systems that decode alike, it is the one that is tuned: nothing is translated twice.
        """
        decoding = self.settings(name).decoded_by or name
        return self._decode_alike.get(decoding, decoding)

    @cached_property
    def _decode_alike(self) -> dict[str, str]:
        """Systems that share another system's translations, mapped to that system.

        Systems whose lists or lattices are asked for write their own lists, at the length others
        need.
        """
        asked = {settings.decoded_by for settings in self._settings.values()}
        return {
            name: settings.weights_of
            for name, settings in self._settings.items()
            if settings.weights_of is not None
            and name not in asked
            and to_plain(settings.rescoring).get("nbest") is None
            and self._translates_with(name) == self._translates_with(settings.weights_of)
        }

    def _translates_with(self, name: str) -> tuple[list[DecoderModel], str, int | None]:
        """Language models, units and context, on which its translations depend beside weights."""
        context = self.settings(name).recombination_context
        return self._models_inside(name), self._units_of(name), context

    def tuned_by(self, name: str) -> str:
        """The system whose tuned weights decode its translations."""
        decoding = self.decoded_by(name)
        return self.settings(decoding).weights_of or decoding

    def start_from(self, name: str) -> str | None:
        """The system from whose tuned weights its tuning starts, if any."""
        former = self.settings(name).start_from
        return None if former is None else self.tuned_by(former)

    def tuning(self, name: str) -> dict[str, Any]:
        """Settings for tuning the decoder's weights, all keys but the seeds."""
        keys = self._merged(self._tuning, self.settings(name).tuning)
        return {key: value for key, value in keys.items() if key != "seeds"}

    def seeds(self, name: str) -> list[int]:
        """Seeds of its tuning runs."""
        seeds: list[int] = self._merged(self._tuning, self.settings(self.tuned_by(name)).tuning)[
            "seeds"
        ]
        return seeds

    def tuned_runs(self, name: str) -> list[dict[str, Any]]:
        """Seed, tuning set and weights of each run of its translations.

        `log` is that of the decoder's tuning loop, None for reranking and another system's weights.
        """
        if self.rescores(name):
            folder, tuning_set, log = f"rescore/{name}", self.tuning_set(name), None
        else:
            folder, tuning_set = f"tune/{self.tuned_by(name)}", "dev"
            log = "log.tsv" if self.tuned_by(name) == name else None
        return [
            {
                "seed": seed,
                "tuning_set": tuning_set,
                "weights": f"{folder}/run{seed}/weights.json",
                "log": log and f"{folder}/run{seed}/{log}",
            }
            for seed in self.seeds(name)
        ]

    def rescoring(self, name: str) -> dict[str, Any]:
        """The settings of `rescoring` for a system, all keys.

        Features that its decoder leaves out stay out, unless the system says otherwise.
        """
        left_out = {"left_out": self.tuning(self.tuned_by(name))["left_out"]}
        keys = self._merged(self._rescoring, self.settings(name).rescoring)
        given = to_plain(self.settings(name).rescoring)
        return keys if "left_out" in given else keys | left_out

    def tuning_set(self, name: str) -> str:
        """The set on which its reranking weights are tuned."""
        return str(self.rescoring(name)["tuning_set"])

    def list_size(self, name: str) -> int:
        """Number of translations per sentence in the lists that it rescores."""
        return int(self.rescoring(name)["nbest"])

    def decoded_list_size(self, name: str) -> int:
        """Number of translations per sentence in the lists that its decoder writes.

        The largest number that a system takes which rescores them, or its own `rescoring.nbest`;
        one where neither is given, as lists of 100 take a seventh of the decoder's time.
        """
        own = to_plain(self.settings(name).rescoring).get("nbest")
        asked = [
            self.list_size(other)
            for other, settings in self._settings.items()
            if self.rescores(other) and settings.lattice is None and self.decoded_by(other) == name
        ]
        asked += [] if own is None else [int(own)]
        return max(asked, default=1)

    def test_sets(self, name: str) -> list[str]:
        """The sets on which it is tested."""
        return list(self.settings(name).test_sets or self._test_sets)

    def hypotheses(self, name: str, split: str) -> list[str]:
        """The translations of a set by all runs."""
        stage = "rescore" if self.rescores(name) else "decode"
        own = name if self.rescores(name) else self.decoded_by(name)
        return [f"{stage}/{own}/run{run}/{split}.hyp" for run in self.seeds(name)]

    def scored_by(self, name: str) -> str:
        """The system whose rescored lists it uses: the first one that makes the same lists.

        The same lists come from the same translations and models; each system has its own weights.
        """
        return self._first_with[self._lists(name)]

    @cached_property
    def _first_with(self) -> dict[tuple[object, ...], str]:
        """The first system for each kind of rescored lists."""
        return {self._lists(name): name for name in reversed(self.names())}

    def rescoring_counts(self, name: str) -> str:
        """The file with requests and time of rescoring its first test set in the first run."""
        test_set, seed = self.test_sets(name)[0], self.seeds(name)[0]
        if self.settings(name).lattice is None:
            return f"rescore/{self.scored_by(name)}/run{seed}/{test_set}.requests.json"
        return f"rescore/{name}/run{seed}/{test_set}.search.json"

    def inside(self, name: str) -> list[DecoderModel]:
        """The language models inside its decoder."""
        return self._models_inside(self.decoded_by(name))

    def _models_inside(self, decoding: str) -> list[DecoderModel]:
        """The language models of a system that decodes."""
        models = self.settings(decoding).language_models or ()
        return [
            model if isinstance(model, DecoderModel) else DecoderModel(name=model)
            for model in models
        ]

    def units(self, name: str) -> str:
        """The units of its decoder, `phrases` or `tuples`."""
        return self._units_of(self.decoded_by(name))

    def _units_of(self, decoding: str) -> str:
        """The units of a system that decodes."""
        return self.settings(decoding).units or "phrases"

    def recombination_context(self, name: str) -> int:
        """Last words that recombined hypotheses must share; 0: as many as its models use."""
        return self.settings(self.decoded_by(name)).recombination_context or 0

    def decoder_files(self, name: str) -> list[str]:
        """All files of the decoder's language models."""
        return self._files(model.name for model in self.inside(name))

    def decoder_features(self, name: str, folder: str) -> list[Feature]:
        """The language models of its decoder, as features of its moses.ini.

        Args:
            name: of the system.
            folder: of the language pair.
        """
        features = []
        # Labels of the models of rescoring come after those of the decoder's.
        for label, inside in zip(self._labels(name), self.inside(name), strict=False):
            model = self._models[inside.name]
            feature = model.plan.decoder
            assert feature is not None  # the system has been checked
            path = PurePosixPath(folder, model.folder, feature.arguments["path"])
            chosen = {
                "path": str(path),
                "scores": inside.scores,
                "quantise": inside.quantise and str(inside.quantise),
                "units": "tuples" if model.units == "tuples" else None,
            }
            given = {key: value for key, value in chosen.items() if value is not None}
            arguments = {"name": label, **feature.arguments, **given}
            features.append(replace(feature, label=label, arguments=arguments))
        return features

    def rescoring_files(self, name: str) -> list[str]:
        """All files of the models with which it rescores."""
        return self._files(self.settings(name).rescored_with or ())

    def rescoring_features(self, name: str) -> dict[str, str]:
        """File of each rescoring model by its feature, numbered after the decoder's.

        LM<i> is an n-gram model, NLM<i> a neural one; TM<i> and NTM<i> are models of tuples.
        """
        return {label: self._models[own].files[0] for label, own in self._features(name).items()}

    def taking_part(self, name: str) -> dict[str, str]:
        """Feature and name of each rescoring model whose weight is not left out."""
        features = self._features(name)
        names = [(label, 1) for label in features]
        kept = keep_names(names, ~select_named(names, self.rescoring(name)["left_out"]))
        return {label: features[label] for label, _ in kept}

    def tuple_features(self, name: str) -> list[str]:
        """Rescoring features that score tuples."""
        return [
            label
            for label, model in self._features(name).items()
            if self._models[model].units == "tuples"
        ]

    def reference_features(self, name: str) -> list[str]:
        """Rescoring features of models that see the reference instead of the source."""
        return [
            label
            for label, model in self._features(name).items()
            if self._models[model].plan.source == "reference"
        ]

    def models(self, names: Iterable[str]) -> list[str]:
        """The language models with which any of these systems decodes or rescores."""
        found = [
            model
            for name in names
            for model in (
                *(inside.name for inside in self.inside(name)),
                *(self.settings(name).rescored_with or ()),
            )
        ]
        return list(dict.fromkeys(found))

    def writes_alignment(self, name: str) -> bool:
        """Whether its lists have word alignments, for a system that rescores them."""
        return any(
            self._models[model].units == "tuples" or self._models[model].plan.source == "alignment"
            for other, settings in self._settings.items()
            if self.decoded_by(other) == name and settings.lattice is None
            for model in settings.rescored_with or ()
        )

    def on_lattices(self) -> list[str]:
        """The systems that rescore lattices, not n-best lists."""
        return [name for name, settings in self._settings.items() if settings.lattice is not None]

    def lattice_states(self, name: str) -> int | None:
        """States that are kept at a node of a lattice; None: all."""
        lattice = self.settings(name).lattice
        assert lattice is not None
        states: int | None = lattice.states
        return states

    def _merged(self, all_keys: Settings, override: Settings) -> dict[str, Any]:
        given = {key: value for key, value in to_plain(override).items() if value is not None}
        return {**all_keys.model_dump(mode="json"), **given}

    def _lists(self, name: str) -> tuple[object, ...]:
        """The settings on which the rescored lists of a system depend."""
        settings = self.settings(name)
        models, lattice = settings.rescored_with, settings.lattice
        return self.decoded_by(name), models, lattice, self.list_size(name)

    def _features(self, name: str) -> dict[str, str]:
        """Label and name of each rescoring model."""
        rescored_with = self.settings(name).rescored_with or ()
        labels = self._labels(name)[len(self.inside(name)) :]
        return dict(zip(labels, rescored_with, strict=True))

    def _labels(self, name: str) -> list[str]:
        """Labels of the decoder's models, then of the rescoring ones, numbered by kind."""
        inside = [model.name for model in self.inside(name)]
        models = [*inside, *(self.settings(name).rescored_with or ())]
        kinds = [self._models[model].feature for model in models]
        return [f"{kind}{kinds[:place].count(kind)}" for place, kind in enumerate(kinds)]

    def _files(self, models: Iterable[str]) -> list[str]:
        return [path for model in models for path in self._models[model].read_files]
