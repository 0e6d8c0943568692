"""A checked configuration, as the rules query it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nlmt.corpora import WHOLE, drawn_together, given_parts, inputs, reference_count
from nlmt.errors import InputError
from nlmt.experiment.checks import check_engine, check_systems
from nlmt.experiment.config import (
    DEFAULT_TEXT,
    Config,
    CorpusAndPairs,
    TextSettings,
    check_nulls,
    read_config,
)
from nlmt.experiment.grids import Grid
from nlmt.experiment.models import Models
from nlmt.experiment.system_settings import SystemSettings
from nlmt.experiment.systems import Systems, named_models, named_systems
from nlmt.paper_settings import ConfiguredPaper, PaperSettings, paper_of
from nlmt.registry import check_name, nearest
from nlmt.settings_check import located
from nlmt.text import SENTENCEPIECE

HELD_OUT = ("dev", "test", "dev2")  # of the experiment's corpus
TEXT_PARTS = ("bitext", "monolingual")


class Experiment:
    """An experiment: its configuration, models, systems and grids, as the rules query it."""

    def __init__(
        self, config: Config, papers: Mapping[str, ConfiguredPaper], grids: Sequence[Grid] = ()
    ) -> None:
        self.config = config
        self.grids = list(grids)
        self._papers = papers
        systems = {
            name: self._of_paper(name, entry)
            for name, entry in config.systems.items()
            if entry is not None
        }
        models = {
            name: entry for name, entry in config.language_models.items() if entry is not None
        }
        baseline = config.evaluation.baseline
        if not systems:
            raise InputError("systems: all are left out")
        if baseline not in systems:
            what = f"evaluation.baseline: unknown system {baseline!r}"
            own = tuple(name for name in systems if paper_of(name, papers) is None)
            raise InputError(what, hint=nearest(baseline, own))
        runs = _runs(config)
        further = {run for entry in systems.values() for run in entry.runs or ()} - {*runs}
        training = "training" in config.repeated
        self.models = Models(
            models,
            self.texts(),
            config.seed,
            self._further_parts(),
            papers,
            runs if training else (),
            sorted(further) if training else (),
            [grid.model for grid in grids],
        )
        self.systems = Systems(
            systems,
            self.models,
            tuning=config.tuning,
            rescoring=config.rescoring,
            test_sets=config.test_sets,
            baseline=baseline,
            papers=papers,
            runs=runs,
        )

    @classmethod
    def read(
        cls,
        values: Mapping[str, Any],
        files: Iterable[Path] = (),
        *,
        papers: Mapping[str, ConfiguredPaper],
    ) -> "Experiment":
        """Check merged files of a configuration as far as is possible without data.

        Raises:
            InputError: a line for each fault; names the key and what is allowed.
        """
        files = list(files)
        config, expansion = read_config(values, files, papers)
        try:
            check_nulls(values, files, papers)
            experiment = cls(config, papers, expansion.grids)
            experiment.models.check()
            experiment._check_left_out()
            check_systems(experiment.systems, experiment.sets(), config.decoder.engine)
            experiment._check_tasks()
            experiment._check_texts()
            experiment._check_split()
        except InputError as error:
            what = error.what if error.path else expansion.as_written(error.what)
            written = InputError(what, path=error.path, line=error.line, hint=error.hint)
            raise located(written, files) from error
        return experiment

    def grids_of_report(self) -> list[Grid]:
        """The grids of models and systems that a pair's report shows."""
        models, systems = self.models.of_report(), self.systems.of_report()
        found = []
        for grid in self.grids:
            if grid.points[0].model in models:
                shown = {name: own for name, own in grid.systems.items() if {*own} <= {*systems}}
                found.append(replace(grid, systems=shown))
        return found

    def check_engine(self, system: str) -> None:
        """Check a system that is about to run against the decoder.

        Raises:
            InputError: the decoder cannot take its models, or write what it rescores.
        """
        check_engine(self.systems[system], self.config.decoder.engine)

    def texts(self, task: str | None = None) -> dict[str, TextSettings]:
        """Training texts by name, of the main task or another one."""
        every = {DEFAULT_TEXT: TextSettings(), **self.config.texts}
        return every if task is None else {**every, **self.tasks()[task].texts}

    def tasks(self) -> dict[str, CorpusAndPairs]:
        """Corpus and pairs of each task, the main one first."""
        return {self.config.task: self.config, **self.config.tasks}

    def corpus(self, task: str) -> str:
        """The bitext of a task."""
        return self.tasks()[task].corpus

    def sets(self) -> list[str]:
        """Names of all sets to tune and test on."""
        further = self.config.held_out.items()
        return [*HELD_OUT, *(name for name, held_out in further if held_out.part != "train")]

    def parts(self) -> list[str]:
        """Parts of the corpus of every task: train, and the held-out sets."""
        given = [given_parts(self.config.corpora[task.corpus]) for task in self.tasks().values()]
        # Where a corpus lacks dev2, it would be taken from the user's training text.
        has_dev2 = all(WHOLE in parts or "dev2" in parts for parts in given) or any(
            self.systems[name].tuning_set == "dev2" for name in self.systems.of_report()
        )
        return ["train", *(part for part in HELD_OUT if part != "dev2" or has_dev2)]

    def origin(self, task: str, split: str) -> tuple[str, str]:
        """The corpus and the part from which a set comes."""
        if split in self.config.held_out:
            held_out = self.config.held_out[split]
            return held_out.corpus, held_out.part
        return self.corpus(task), split

    def drawn_with(self, task: str, split: str) -> list[str]:
        """The parts of a set's corpus that are made together, including the set."""
        corpus, part = self.origin(task, split)
        used = self._further_parts().get(corpus, {})
        return drawn_together(self.config.corpora[corpus], part, used)

    def kept_apart(self, task: str, source: str, target: str) -> list[str]:
        """The further sets that are drawn first, and that training text then leaves out.

        They are all sets of the pair if the corpus of the task has filters. Else sets are drawn
        after the training text, and lack its sentences.
        """
        if self.config.corpora[self.corpus(task)].filters is None:
            return []
        return [
            name
            for name, held_out in self.config.held_out.items()
            if held_out.part != "train"
            if {source, target} <= {*self.config.corpora[held_out.corpus].languages}
        ]

    def files(self) -> list[Path]:
        """All corpus files from which its tasks, sets and texts are read, papers' included.

        Files that only papers use are those of the papers' pairs.

        Raises:
            InputError: a corpus lacks a language or part, or cannot be obtained by the workflow.
        """
        corpora = self.config.corpora
        systems, models = self.systems.names(), self.models.names()
        used = self.used_sets(systems, models)
        trained = {DEFAULT_TEXT, *(text for name in models for text in self.models[name].texts)}
        made_for = {key: self._pairs_with(key) for key in self._papers}
        other_systems = [name for name in systems if self.paper_of(name) is None]
        other_models = [name for name in models if self.paper_of(name) is None]
        other_models += self.systems.models_of(other_systems)
        for_all = self.used_sets(other_systems, other_models)
        for_all |= {text for name in other_models for text in self.models[name].texts}

        def is_for(name: str, task: str, pair: str) -> bool:
            paper = self.paper_of(name)
            return paper is None or name in for_all or (task, pair) in made_for[paper]

        found: list[Path] = []
        for task, settings in self.tasks().items():
            sets = {name: own for name, own in self.config.held_out.items() if name in used}
            texts = {name: own for name, own in self.texts(task).items() if name in trained}
            of_papers = [
                pair
                for key in self._papers
                if self.paper_task(key) == task
                for pair in self.paper_pairs(key)
            ]
            for pair in dict.fromkeys([*settings.pairs, *of_papers]):
                languages = pair.split("-")
                # Corpora of papers do not exist in every language.
                joined = {
                    corpus
                    for name, text in texts.items()
                    for corpus in text.corpora
                    if corpus in corpora and is_for(name, task, pair)
                    if self.paper_of(name) is None or languages[1] in corpora[corpus].languages
                }
                found += inputs(settings.corpus, corpora[settings.corpus], languages, self.parts())
                for name, own in sets.items():
                    known = set(languages) <= set(corpora[own.corpus].languages)
                    # A text leaves out the held-out sets of its corpus.
                    here = is_for(name, task, pair) or own.corpus in joined
                    if here and (known or self.paper_of(name) is None):
                        parts = self.drawn_with(task, name)
                        found += inputs(own.corpus, corpora[own.corpus], languages, parts)
                for corpus in sorted(joined):
                    found += inputs(corpus, corpora[corpus], languages[1:], ["train"])
        return list(dict.fromkeys(found))

    def used_sets(self, systems: Iterable[str], models: Iterable[str]) -> set[str]:
        """The sets on which systems are tuned and tested, and sets of models of other bitexts."""
        found = {one for name in models for one in self.models[name].sets.values()}
        for name in systems:
            found |= {*self.systems[name].test_sets, self.systems[name].tuning_set}
        return found

    def reference_names(self, task: str, split: str, source: str, target: str) -> list[str]:
        """File names of all references of a set, the first being its target side.

        Raises:
            InputError: the corpus has no such set.
        """
        corpus, part = self.origin(task, split)
        if part not in self.parts() and split in HELD_OUT:
            what = f"corpus {corpus} has no {part}, on which a system of a paper is tuned or tested"
            hint = f"give it {part}, or the paper `test_sets: [test]` (docs/own-corpus.md)"
            raise InputError(what, hint=hint)
        count = reference_count(corpus, self.config.corpora[corpus], (source, target), part)
        more = [f"{split}.ref{number}.{target}.gz" for number in range(2, count + 1)]
        return [f"{split}.{target}.gz", *more]

    def languages(self) -> dict[str, str]:
        """Languages of the corpora of all tasks."""
        corpora = [self.config.corpora[task.corpus] for task in self.tasks().values()]
        return {code: name for corpus in corpora for code, name in corpus.languages.items()}

    def check_pair(self, pair: str, key: str, task: str | None = None) -> tuple[str, str]:
        """Source and target language of a pair such as fr-en.

        Raises:
            InputError: the corpus of the task lacks a language, both are the same, or only one is
                divided into pieces.
        """
        source, _, target = pair.partition("-")
        corpus = self.corpus(task or self.config.task)
        languages = self.config.corpora[corpus].languages
        for language in (source, target):
            if language not in languages:
                what = f"{key}: {pair}: the corpus {corpus} has no language "
                raise InputError(what + repr(language), hint=f"it has {', '.join(languages)}")
        if source == target:
            raise InputError(f"{key}: {pair}: source and target are the same language")
        divided = [self.config.text.segmenter.get(one) == SENTENCEPIECE for one in (source, target)]
        if any(divided) and not all(divided):  # unknown pieces are copied, and must stay pieces
            what = f"{key}: {pair}: only one language has the segmenter {SENTENCEPIECE}"
            raise InputError(what, hint="name it for both in text.segmenter")
        return source, target

    def paper_of(self, name: str) -> str | None:
        """The paper that a language model, system, set or text belongs to, if any."""
        return paper_of(name, self._papers)

    def paper(self, key: str) -> PaperSettings:
        """The settings of a paper."""
        settings: PaperSettings = getattr(self.config.papers, key)
        return settings

    def paper_task(self, key: str) -> str:
        """The task of a paper's tables."""
        return self.paper(key).task or self.config.task

    def paper_pairs(self, key: str) -> list[str]:
        """The language pairs of a paper's tables."""
        chosen, task = self.paper(key).pairs, self.paper_task(key)
        if chosen:
            return list(chosen)
        if task == self.config.task and "pairs" not in self.config.model_fields_set:
            languages = self.config.corpora[self.config.corpus].languages
            own = [
                pair for pair in self._papers[key].pairs if set(pair.split("-")) <= set(languages)
            ]
            if own:
                return own
        return list(self.tasks()[task].pairs)

    def paper_systems(self, key: str) -> list[str]:
        """Names of the systems that belong to a paper."""
        return [name for name in self.systems.names() if self.paper_of(name) == key]

    def paper_models(self, key: str) -> list[str]:
        """Names of the language models that belong to a paper."""
        return [name for name in self.models.names() if self.paper_of(name) == key]

    def _pairs_with(self, key: str) -> set[tuple[str, str]]:
        """Task and pair of each paper whose systems use models of this one, including itself."""
        return {
            (self.paper_task(paper), pair)
            for paper in self._papers
            if paper == key
            or key in map(self.paper_of, self.systems.models_of(self.paper_systems(paper)))
            for pair in self.paper_pairs(paper)
        }

    def _of_paper(self, system: str, entry: SystemSettings) -> SystemSettings:
        """A system, with its paper's settings for all of its systems."""
        key = self.paper_of(system)
        if key is None:
            return entry
        paper = self.paper(key)
        # Pages show only keys that are set.
        missing = {
            name: value
            for name in ("test_sets", "baseline")
            if getattr(entry, name) is None and (value := getattr(paper, name)) is not None
        }
        return entry.model_copy(update=missing)

    def _further_parts(self) -> dict[str, dict[str, str]]:
        """Names of the sets in `held_out`, by corpus and part."""
        found: dict[str, dict[str, str]] = {}
        for name, held_out in self.config.held_out.items():
            found.setdefault(held_out.corpus, {}).setdefault(held_out.part, name)
        return found

    def _check_left_out(self) -> None:
        """Refuse to leave out a model or system that systems name."""
        models, systems = self.config.language_models.items(), self.config.systems.items()
        left_out = [("language_models", name, named_models) for name, one in models if one is None]
        left_out += [("systems", name, named_systems) for name, one in systems if one is None]
        for section, name, named in left_out:
            entries = self.systems.entries.items()
            users = [user for user, entry in entries if name in [one for _, one in named(entry)]]
            if users:
                what = f"{section}.{name}: left out, but named by {', '.join(users)}"
                raise InputError(what, hint="keep it, or leave these out by null, too")

    def _check_tasks(self) -> None:
        tasks, corpora = self.tasks(), self.config.corpora
        if self.config.task in self.config.tasks:
            raise InputError(f"tasks.{self.config.task}: `task` has this name")
        for name, task in tasks.items():
            where = "" if name == self.config.task else f"tasks.{name}."
            check_name(task.corpus, corpora, f"{where}corpus: unknown corpus")
            for pair in task.pairs:
                self.check_pair(pair, f"{where}pairs", name)
        for paper in self._papers:
            chosen = self.paper_task(paper)
            check_name(chosen, tasks, f"papers.{paper}.task: unknown task")
            for pair in self.paper(paper).pairs or ():
                self.check_pair(pair, f"papers.{paper}.pairs", chosen)

    def _check_words(self, task: str) -> None:
        """Refuse texts that lack some of their words where a model needs all of them."""
        texts = self.texts(task)
        for name in self.models.names():
            if not self.models[name].plan.all_words:
                continue
            for text in self.models[name].texts:
                given = texts[text]
                further = set(given.corpora) - {"bitext"}
                if not self.config.monolingual:
                    further.discard("monolingual")
                lacks_rare = given.most_frequent or given.min_count > 1
                if lacks_rare or (given.vocabulary == "bitext" and further):
                    what = f"language_models.{name}: its output needs all words of the text {text}"
                    hint = f"texts.{text}: vocabulary: own, and no most_frequent or min_count"
                    raise InputError(what, hint=hint)

    def _check_texts(self) -> None:
        corpora = self.config.corpora
        for language in self.config.monolingual:
            check_name(language, self.languages(), "monolingual: no corpus has the language")
        for task, settings in self.config.tasks.items():
            for name in settings.texts:
                check_name(name, self.texts(), f"tasks.{task}.texts: unknown text")
        texts = {f"texts.{name}": text for name, text in self.texts().items()} | {
            f"tasks.{task}.texts.{name}": text
            for task, settings in self.config.tasks.items()
            for name, text in settings.texts.items()
        }
        for where, text in texts.items():
            for part in text.corpora:
                check_name(part, (*TEXT_PARTS, *corpora), f"{where}.corpora: unknown corpus")
            sizes = (text.share, text.sentences, text.tokens)
            if sum(size is not None for size in sizes) > 1:
                raise InputError(f"{where}: give one of share, sentences and tokens")
        for task in self.tasks():
            self._check_words(task)
        for name, held_out in self.config.held_out.items():
            if name in HELD_OUT or name == "train":
                raise InputError(f"held_out.{name}: the corpus {self.config.corpus} has this set")
            check_name(held_out.corpus, corpora, f"held_out.{name}.corpus: unknown corpus")

    def _check_split(self) -> None:
        """Refuse lengths of held-out sentences that no sentence has."""
        general, corpora = self.config.split, self.config.corpora
        splits = {"split": general}
        used = [task.corpus for task in self.tasks().values()]
        used += [held_out.corpus for held_out in self.config.held_out.values()]
        splits |= {f"corpora.{name}.split": corpora[name].own_split(general) for name in used}
        for where, split in splits.items():
            if split.min_tokens > split.max_tokens:
                what = f"{where}: min_tokens, {split.min_tokens}, is above max_tokens"
                raise InputError(what, hint=f"at most {split.max_tokens}")


def _runs(config: Config) -> tuple[int, ...]:
    """The runs of an experiment, by their seeds."""
    if isinstance(config.runs, int):
        return tuple(range(1, config.runs + 1))
    if not config.runs or len({*config.runs}) < len(config.runs):
        raise InputError(f"runs: {list(config.runs)}", hint="give each run a seed of its own")
    return config.runs
