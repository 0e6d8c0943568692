"""The keys of `config.yaml` and of `config/papers/`, and their reader."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import Field, create_model

from nlmt.classes.methods import ClassSettings
from nlmt.corpora import Corpora, DownloadSettings, SplitSettings
from nlmt.decoder.settings import DecoderSettings
from nlmt.errors import InputError
from nlmt.evaluation.settings import EvaluationSettings
from nlmt.experiment.grids import MODELS, SYSTEMS, GridExpansion
from nlmt.experiment.system_settings import Run, SystemSettings
from nlmt.kinds import KINDS
from nlmt.lm.kinds import ModelSettings
from nlmt.paper_settings import ConfiguredPaper, fitting
from nlmt.phrases.settings import TranslationModelSettings
from nlmt.registry import nearest
from nlmt.settings import REQUIRED, Distinct, FolderName, OneOf, Settings, setting
from nlmt.settings_check import read_settings
from nlmt.text.settings import PreparationSettings
from nlmt.tuning.settings import RerankingSettings, TuningSettings
from nlmt.workflow.configuration import Scale, read_files

RunCount = Annotated[int, setting(REQUIRED, "", ge=1, le=1000)]

DEFAULT_TEXT = "default"
PAIR = "^[a-z]{2,3}-[a-z]{2,3}$"
TASK = "^[A-Za-z0-9_-]+$"


class TextSettings(Settings):
    """A training text of language models in the target language."""

    corpora: tuple[str, ...] = setting(
        ("bitext", "monolingual"),
        "Its parts: `bitext`, the target side of the pair's training text; `monolingual`, the "
        "files of that key; or names of entries of `corpora` that have the language.",
        min_length=1,
    )
    share: float | None = setting(
        None,
        "Share of sentences to sample. Samples are nested: with one seed a smaller one "
        "is part of every larger one.",
        gt=0,
        le=1,
    )
    sentences: int | None = setting(None, "Number of sentences to sample.", ge=1)
    tokens: int | None = setting(
        None, "Number of tokens to sample, up to the end of a sentence.", ge=1
    )
    vocabulary: Literal["bitext", "own"] = setting(
        "bitext",
        "Words to keep: those of the target side of the bitext, or all of the text; "
        "others are <unk>.",
    )
    min_count: int = setting(1, "Words that occur less often in the text are <unk>.", ge=1)
    most_frequent: int | None = setting(
        None, "Number of most frequent words of the vocabulary to keep.", ge=1
    )


Pairs = Distinct[tuple[Annotated[str, Field(pattern=PAIR, examples=["fr-en"])], ...]]


class CorpusAndPairs(Settings):
    """A bitext, and the language pairs that are learnt from it."""

    corpus: str = setting(REQUIRED, "The bitext, an entry of config/corpora.yaml.")
    pairs: Pairs = setting(
        REQUIRED,
        "Language pairs, source-target, in the corpus' own codes.",
        min_length=1,
        examples=["fr-en"],
    )
    texts: dict[FolderName, TextSettings] = setting(
        {},
        f"Training texts of language models by name; {DEFAULT_TEXT} is for models that name none.",
    )


class TaskSettings(CorpusAndPairs):
    """A further task; its texts replace the first task's of the same names."""


class HeldOutSettings(Settings):
    """A further set of sentences to tune, test or train on, from another corpus."""

    corpus: str = setting(REQUIRED, "An entry of `corpora`.")
    part: Literal["train", "dev", "dev2", "test"] = setting(
        "test",
        "Part of the corpus. Models with the key `bitext` learn from train, without the held-out "
        "sets.",
    )


class Papers(Settings):
    """Settings of each paper, by its key."""


class Config(CorpusAndPairs):
    """The configuration of one experiment, from corpora to reports and papers."""

    pairs: Pairs = setting(
        ("fr-en", "en-cs", "en-de"),
        "Language pairs of reports and papers, source-target, in the corpus' codes. Left out: each "
        "paper has its own pairs.",
        min_length=1,
        examples=["fr-en"],
    )
    task: str = setting(
        REQUIRED,
        "Name of the folder below results/ that holds everything of this experiment.",
        pattern=TASK,
        examples=["help"],
    )
    tasks: dict[Annotated[str, Field(pattern=TASK, examples=["wmt12"])], TaskSettings] = setting(
        {},
        "Further tasks by the name of their folder below results/: other corpora and pairs, with "
        "the same language models and systems. A paper chooses one by its key `task`.",
    )
    scale: Scale | None = setting(
        None,
        "Size of the experiment: config/<scale>.yaml overrides the default configuration, and is "
        "overridden by files given with --configfile.",
    )
    demo_pair: str = setting(
        REQUIRED, "The pair that the target `demo` runs.", pattern=PAIR, examples=["fr-en"]
    )
    plugins: tuple[str, ...] = setting(
        (), "Python files with parts of your own (docs/extending.md)."
    )
    monolingual: dict[str, tuple[str, ...]] = setting(
        {},
        "Further text for language models: paths by language, plain or gzip-compressed, one "
        "sentence per line; prepared like the bitext.",
    )
    seed: int = setting(
        1, "Seed of every random choice except those that runs repeat.", ge=0, le=2**32 - 1
    )
    runs: RunCount | tuple[Run, ...] = setting(
        3,
        "Runs of every system: their number, with seeds from 1, or a list of seeds. Every score is "
        "the mean over runs (docs/evaluation.md).",
        examples=[5, [11, 12, 13]],
    )
    repeated: tuple[Literal["training"], ...] = setting(
        ("training",),
        "Steps that each run repeats beside tuning. training: every model with a seed is trained "
        "for each run: with that seed in the run of seed 1, with the next one in that of seed 2 "
        "and so on. Empty: all runs share the models of the first.",
    )
    split: SplitSettings = setting(SplitSettings(), "Held-out sentences.")
    text: PreparationSettings = setting(PreparationSettings(), "Preparation of text.")
    held_out: dict[FolderName, HeldOutSettings] = setting(
        {},
        "Further named sets to tune, test or train on, besides dev, dev2 and test of the corpus.",
    )
    test_sets: Distinct[tuple[str, ...]] = setting(
        ("test",), "Sets on which every system is tested, the main one first.", min_length=1
    )
    classes: ClassSettings = setting(ClassSettings(), "Word classes.")
    language_models: dict[
        FolderName, Annotated[ModelSettings, OneOf(KINDS, lambda kind: kind.settings)] | None
    ] = setting(
        REQUIRED,
        "Language models by name; systems refer to the name, which is also the model's folder. "
        "null leaves a model out.",
    )
    translation_model: TranslationModelSettings = setting(
        TranslationModelSettings(), "Alignment and phrase extraction."
    )
    decoder: DecoderSettings = setting(DecoderSettings(), "Phrase-based search by cube pruning.")
    tuning: TuningSettings = setting(TuningSettings(), "The decoder's weights.")
    rescoring: RerankingSettings = setting(
        RerankingSettings(), "Rescored lists and lattices, and the weights of reranking."
    )
    systems: dict[FolderName, SystemSettings | None] = setting(
        REQUIRED,
        "Systems to compare, by name; null leaves a system out. A system or language model whose "
        "name begins with the key of a paper belongs to that paper and to no report.",
    )
    evaluation: EvaluationSettings = setting(REQUIRED, "Scores and significance.")
    papers: Papers = setting(Papers(), "Settings of the papers and their tables.")
    download: DownloadSettings = setting(
        DownloadSettings(), "Downloads of corpus files from web servers."
    )
    corpora: Corpora = setting({}, "All known corpora (config/corpora.yaml).")


def config_group(papers: Mapping[str, ConfiguredPaper]) -> type[Config]:
    """`Config` with the keys of these papers and of all registered kinds, including plugins'."""
    keys: dict[str, Any] = {
        key: (paper.settings, setting(paper.settings(), paper.title))
        for key, paper in papers.items()
    }
    group = create_model("Papers", __base__=Papers, __doc__=Papers.__doc__, **keys)
    field: Any = (group, setting(group(), Config.model_fields["papers"].description or ""))
    return cast(
        type[Config],
        create_model("Config", __base__=Config, __doc__=Config.__doc__, papers=field),
    )


def read_config(
    values: Mapping[str, Any], files: Iterable[Path], papers: Mapping[str, ConfiguredPaper]
) -> tuple[Config, GridExpansion]:
    """Check a whole configuration and fill in defaults; its grids are replaced by their points.

    Null removes a key that an earlier file has given a language model.

    Raises:
        InputError: a line for each fault; see `nlmt.settings_check.read_settings`.
    """
    models = values.get("language_models")
    if isinstance(models, Mapping):
        values = {**values, "language_models": {n: _without_null(m) for n, m in models.items()}}
    expansion = GridExpansion(values, papers)
    group = config_group(papers)
    config = read_settings(group, expansion.values(), files=files, as_written=expansion.as_written)
    return config, expansion


def check_nulls(
    values: Mapping[str, Any], files: Collection[Path], papers: Collection[str]
) -> None:
    """Refuse to leave out a model or system that no file has.

    Args:
        values: of all files, checked.
        files: as of `read_settings`.
        papers: keys of all papers.

    Raises:
        InputError: names the entry, and those that there are.
    """
    for section in (MODELS, SYSTEMS):
        left_out = [name for name, entry in values[section].items() if entry is None]
        read = [read_files([path]) for path in files if path.exists()] if left_out else []
        known = dict.fromkeys(
            name
            for one in read
            if isinstance(entries := one.get(section), Mapping)
            for name, entry in entries.items()
            if entry is not None
        )
        # The files of a module with `config` lack the default entries, which may be left out.
        if known and {*values[section]} - {*left_out} <= {*known}:
            for name in left_out:
                if name not in known:
                    what = f"{section}.{name}: left out by null, but no file has it"
                    raise InputError(what, hint=nearest(name, fitting(name, known, papers)))


def _without_null(entry: Any) -> Any:
    """The entry without keys that are null."""
    if not isinstance(entry, Mapping):
        return entry
    return {key: value for key, value in entry.items() if value is not None}
