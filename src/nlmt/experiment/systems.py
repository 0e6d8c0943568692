"""The systems of an experiment: their models, files, tuning and test sets.

Paths are relative to the folder of a language pair, `results/<task>/<src>-<tgt>`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from nlmt.experiment.grids import SYSTEM_KEYS
from nlmt.experiment.models import Model, Models
from nlmt.experiment.system_settings import DecoderModel, SystemSettings
from nlmt.io.lattice import is_fixed
from nlmt.io.moses_ini import Feature
from nlmt.lm.places import RUN
from nlmt.paper_settings import paper_of
from nlmt.phrases import moses_model
from nlmt.registry import check_name
from nlmt.settings import Settings, to_plain
from nlmt.tuning.feature_names import keep_names, select_named
from nlmt.workflow.configuration import laid_over


@dataclass(frozen=True)
class System:
    """One system, which decodes, or rescores the lists or lattices of one that does."""

    name: str
    settings: SystemSettings
    systems: "Systems"

    @property
    def paper(self) -> str | None:
        """The paper to which it belongs, if any."""
        return paper_of(self.name, self.systems.papers)

    @property
    def baseline(self) -> str:
        """The system with which it is compared."""
        return self.settings.baseline or self.systems.baseline

    @property
    def compared_with(self) -> list[str]:
        """The systems from which its difference is tested, the baseline first."""
        every = (self.baseline, *self.settings.compared_with)
        return [other for other in dict.fromkeys(every) if other != self.name]

    @property
    def paired_with(self) -> list[str]:
        """The systems among `compared_with` whose run k shares weights or a model with its own."""
        return [name for name in self.compared_with if self._shares_runs(self.systems[name])]

    @property
    def rescores(self) -> bool:
        """Whether it rescores the lists or lattices of another system."""
        return self.settings.rescored_with is not None

    @property
    def on_lattices(self) -> bool:
        """Whether it rescores lattices, not n-best lists."""
        return self.settings.lattice is not None

    @property
    def decoded_by(self) -> str:
        """The system whose translations it uses: itself, where it decodes.

        Of systems that decode alike, it is the one that is tuned: nothing is translated twice.
        """
        decoding = self.settings.decoded_by or self.name
        return self.systems.decode_alike.get(decoding, decoding)

    @property
    def given_lists(self) -> bool:
        """Whether its translations are lists of another program."""
        return self._decoder.settings.lists is not None

    @property
    def tuned_by(self) -> str:
        """The system whose tuned weights decode its translations."""
        return self._decoder.settings.weights_of or self.decoded_by

    @property
    def start_from(self) -> str | None:
        """The system from whose tuned weights its tuning starts, if any."""
        former = self.settings.start_from
        return None if former is None else self.systems[former].tuned_by

    @property
    def tuning(self) -> dict[str, Any]:
        """Settings for tuning the decoder's weights."""
        return _merged(self.systems.tuning, self.settings.tuning)

    @property
    def runs(self) -> list[int]:
        """Its runs, by their seeds."""
        return list(self.systems[self.tuned_by].settings.runs or self.systems.runs)

    @property
    def tuned_runs(self) -> list[dict[str, Any]]:
        """Seed, tuning set and weights of each run of its translations.

        `log` is that of the decoder's tuning loop, None for reranking and another system's weights.
        Lists of another program are not tuned.
        """
        if self.rescores:
            folder, tuning_set, log = f"rescore/{self.name}", self.tuning_set, None
        elif self.given_lists:
            return []
        else:
            folder, tuning_set = f"tune/{self.tuned_by}", "dev"
            log = "log.tsv" if self.tuned_by == self.name else None
        return [
            {
                "seed": seed,
                "tuning_set": tuning_set,
                "weights": f"{folder}/run{seed}/weights.json",
                "log": log and f"{folder}/run{seed}/{log}",
            }
            for seed in self.runs
        ]

    @property
    def rescoring(self) -> dict[str, Any]:
        """The settings of `rescoring`, all keys; what its decoder leaves out stays out."""
        keys = _merged(self.systems.rescoring, self.settings.rescoring)
        left_out = (*self.systems[self.tuned_by].tuning["left_out"], *keys["left_out"])
        return keys | {"left_out": list(dict.fromkeys(left_out))}

    @property
    def tuning_set(self) -> str:
        """The set on which its reranking weights are tuned."""
        return str(self.rescoring["tuning_set"])

    @property
    def list_size(self) -> int:
        """Number of translations per sentence in the lists that it rescores."""
        return int(self.rescoring["nbest"])

    @property
    def decoded_list_size(self) -> int:
        """Number of translations per sentence in the lists that its decoder writes.

        The largest number that a system takes which rescores them, or its own `rescoring.nbest`;
        one where neither is given, as lists of 100 take a seventh of the decoder's time.
        """
        own = to_plain(self.settings.rescoring).get("nbest")
        asked = [other.list_size for other in self._list_rescorers()]
        asked += [] if own is None else [int(own)]
        return max(asked, default=1)

    @property
    def writes_alignment(self) -> bool:
        """Whether its lists have word alignments, for a system that rescores them."""
        return any(
            model.units == "tuples" or model.plan.source == "alignment"
            for other in self._list_rescorers()
            for model in other.rescoring_models
        )

    @property
    def test_sets(self) -> list[str]:
        """The sets on which it is tested."""
        return list(self.settings.test_sets or self.systems.test_sets)

    def hypotheses(self, split: str) -> list[str]:
        """The translations of a set by all runs."""
        folder = f"rescore/{self.name}" if self.rescores else f"decode/{self.decoded_by}"
        return [f"{folder}/run{run}/{split}.hyp" for run in self.runs]

    @property
    def scored_by(self) -> str:
        """The system whose rescored lists it uses: the first one that makes the same lists.

        The same lists come from the same translations and models; each system has its own weights.
        """
        return self.systems.first_with[self.list_key]

    @property
    def rescoring_counts(self) -> str:
        """The file with requests and time of rescoring its first test set in the first run."""
        test_set, seed = self.test_sets[0], self.runs[0]
        if not self.on_lattices:
            return f"rescore/{self.scored_by}/run{seed}/{test_set}.requests.json"
        return f"rescore/{self.name}/run{seed}/{test_set}.search.json"

    @property
    def inside(self) -> list[DecoderModel]:
        """The language models inside its decoder."""
        return _decoder_models(self._decoder.settings)

    @property
    def units(self) -> str:
        """The units of its decoder, `phrases` or `tuples`."""
        return _units(self._decoder.settings)

    @property
    def recombination_context(self) -> int:
        """Last words that recombined hypotheses must share; 0: as many as its models use."""
        return self._decoder.settings.recombination_context or 0

    def ini(self, run: int, name: str = "moses.ini") -> str:
        """The model file of a run: one for each run where a language model inside is of the run."""
        repeated = any(self.systems.models.repeats(inside.name) for inside in self.inside)
        return f"tm/{self.name}{RUN}{run}/{name}" if repeated else f"tm/{self.name}/{name}"

    def decoder_files(self, run: int) -> list[str]:
        """All files of the decoder's language models in a run."""
        of_run = self.systems.models.of_run
        return [path for inside in self.inside for path in of_run(inside.name, run).read_files]

    def decoder_features(self, folder: str, run: int) -> list[Feature]:
        """The language models of its decoder in a run, as features of its moses.ini."""
        features = []
        # Labels of the models of rescoring come after those of the decoder's.
        for label, inside in zip(self._labels(), self.inside, strict=False):
            model = self.systems.models.of_run(inside.name, run)
            feature = model.plan.decoder
            assert feature is not None  # the system has been checked
            path = PurePosixPath(folder, model.folder, feature.arguments["path"])
            chosen = {
                "path": str(path),
                "scores": inside.scores,
                "quantise": inside.quantise and str(inside.quantise),
                "products": inside.products,
                "units": "tuples" if model.units == "tuples" else None,
            }
            given = {key: value for key, value in chosen.items() if value is not None}
            arguments = {"name": label, **feature.arguments, **given}
            features.append(replace(feature, label=label, arguments=arguments))
        return features

    @property
    def rescoring_models(self) -> list[Model]:
        """The language models with which it rescores."""
        return [self.systems.models[name] for name in self.settings.rescored_with or ()]

    @property
    def scores_alike(self) -> bool:
        """Whether the models with which it rescores are the same in all runs."""
        return not any(map(self.systems.models.repeats, self.settings.rescored_with or ()))

    def rescoring_files(self, run: int) -> list[str]:
        """All files of the models with which it rescores in a run."""
        of_run = self.systems.models.of_run
        names = self.settings.rescored_with or ()
        return [path for name in names for path in of_run(name, run).read_files]

    def rescoring_features(self, run: int) -> dict[str, str]:
        """File of each rescoring model in a run by its feature, numbered after the decoder's.

        LM<i> is an n-gram model, NLM<i> a neural one; TM<i> and NTM<i> are models of tuples.
        """
        of_run = self.systems.models.of_run
        features = self._features().items()
        return {label: of_run(model.name, run).files[0] for label, model in features}

    @property
    def feature_names(self) -> list[tuple[str, int]]:
        """Labels and numbers of values of the features whose weights are tuned."""
        model = moses_model(Path(), Path(), self.decoder_features("", self.runs[0]))
        of_decoder = [(label, len(values)) for label, values in model.weights.items()]
        return [
            *(name for name in of_decoder if not is_fixed(name[0])),
            *((label, 1) for label in self._features()),
        ]

    @property
    def taking_part(self) -> dict[str, str]:
        """Feature and name of each rescoring model whose weight is not left out."""
        features = self._features()
        names = [(label, 1) for label in features]
        kept = keep_names(names, ~select_named(names, self.rescoring["left_out"]))
        return {label: features[label].name for label, _ in kept}

    @property
    def tuple_features(self) -> list[str]:
        """Rescoring features that score tuples."""
        return [label for label, model in self._features().items() if model.units == "tuples"]

    @property
    def reference_features(self) -> list[str]:
        """Rescoring features of models that see the reference instead of the source."""
        features = self._features().items()
        return [label for label, model in features if model.plan.source == "reference"]

    @property
    def lattice_states(self) -> int | None:
        """States that are kept at a node of a lattice; None: all."""
        assert self.settings.lattice is not None
        return self.settings.lattice.states

    @property
    def list_key(self) -> tuple[object, ...]:
        """The settings on which its rescored lists depend."""
        models, lattice = self.settings.rescored_with, self.settings.lattice
        # Paths of lattices are those that are best without the features that are left out.
        left_out = None if lattice is None else tuple(self.rescoring["left_out"])
        return self.decoded_by, models, lattice, self.list_size, left_out

    @property
    def _decoder(self) -> "System":
        """The system whose translations it uses."""
        return self.systems[self.decoded_by]

    def _shares_runs(self, other: "System") -> bool:
        """Whether run k of both systems shares weights, and so lists, or a trained model."""
        if other.tuned_by == self.tuned_by:
            return True
        own, others = (set(self.systems.models_of([one.name])) for one in (self, other))
        return self.runs == other.runs and any(map(self.systems.models.repeats, own & others))

    def _list_rescorers(self) -> Iterator["System"]:
        """The systems that rescore the lists of its decoder."""
        for name in self.systems.names():
            other = self.systems[name]
            if other.rescores and not other.on_lattices and other.decoded_by == self.name:
                yield other

    def _features(self) -> dict[str, Model]:
        """Each rescoring model by its label."""
        labels = self._labels()[len(self.inside) :]
        return dict(zip(labels, self.rescoring_models, strict=True))

    def _labels(self) -> list[str]:
        """Labels of the decoder's models, then of the rescoring ones, numbered by kind."""
        inside = [self.systems.models[model.name] for model in self.inside]
        kinds = [model.feature for model in (*inside, *self.rescoring_models)]
        return [f"{kind}{kinds[:place].count(kind)}" for place, kind in enumerate(kinds)]


@dataclass(frozen=True)
class Systems:
    """Systems by name, without those that are null, and the top-level keys that they override."""

    entries: Mapping[str, SystemSettings]
    models: Models
    tuning: Settings
    rescoring: Settings
    test_sets: tuple[str, ...]
    baseline: str
    papers: Collection[str]
    runs: tuple[int, ...]

    def __getitem__(self, name: str) -> System:
        """The system of a name.

        Raises:
            InputError: there is none.
        """
        check_name(name, self.entries, "unknown system")
        return System(name, self.entries[name], self)

    def names(self) -> list[str]:
        """All names."""
        return list(self.entries)

    def of_report(self) -> list[str]:
        """The systems in a pair's report, which belong to no paper, the baseline first."""
        own = [name for name in self.entries if self[name].paper is None]
        return sorted(own, key=lambda name: name != self.baseline)

    def models_of(self, names: Iterable[str]) -> list[str]:
        """The language models with which any of these systems decodes or rescores."""
        found = [
            model
            for name in names
            for model in (
                *(inside.name for inside in self[name].inside),
                *(self[name].settings.rescored_with or ()),
            )
        ]
        return list(dict.fromkeys(found))

    @cached_property
    def decode_alike(self) -> dict[str, str]:
        """Systems that share another system's translations, mapped to that system.

        Systems whose lists or lattices are asked for write their own lists, at the length others
        need.
        """
        asked = {settings.decoded_by for settings in self.entries.values()}
        return {
            name: settings.weights_of
            for name, settings in self.entries.items()
            if settings.weights_of is not None
            and name not in asked
            and to_plain(settings.rescoring).get("nbest") is None
            and _translates_with(settings) == _translates_with(self[settings.weights_of].settings)
        }

    @cached_property
    def first_with(self) -> dict[tuple[object, ...], str]:
        """The first system for each kind of rescored lists."""
        return {self[name].list_key: name for name in reversed(self.names())}


def named_systems(settings: SystemSettings) -> list[tuple[str, str]]:
    """The systems that an entry names, each with its key."""
    named = [(key, name) for key in SYSTEM_KEYS if (name := getattr(settings, key)) is not None]
    return [*named, *(("compared_with", name) for name in settings.compared_with)]


def named_models(settings: SystemSettings) -> list[tuple[str, str]]:
    """The language models that an entry names, each with its key."""
    named = [("rescored_with", name) for name in settings.rescored_with or ()]
    return [*named, *(("language_models", model.name) for model in _decoder_models(settings))]


def _translates_with(settings: SystemSettings) -> tuple[list[DecoderModel], str, int | None]:
    """Language models, units and context, on which translations depend beside weights."""
    return _decoder_models(settings), _units(settings), settings.recombination_context


def _decoder_models(settings: SystemSettings) -> list[DecoderModel]:
    """The language models of a system that decodes."""
    return [
        model if isinstance(model, DecoderModel) else DecoderModel(name=model)
        for model in settings.language_models or ()
    ]


def _units(settings: SystemSettings) -> str:
    """The units of a system that decodes."""
    return settings.units or "phrases"


def _merged(all_keys: Settings, override: Settings) -> dict[str, Any]:
    """All keys of settings, with the values of an override where it has any, option by option."""
    given = {key: value for key, value in to_plain(override).items() if value is not None}
    return laid_over(all_keys.model_dump(mode="json"), given)
