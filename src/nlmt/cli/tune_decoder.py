"""`nlmt tune --decode`: tune the decoder's weights by decoding and tuning in turn."""

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from nlmt.cli.arguments import positive, read_texts
from nlmt.cli.decode_flags import SEARCH_FLAGS, flag_parser, search_options
from nlmt.cli.files import IN, OUT_FOLDER, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.cli.tuner_options import add_tuner_options, tuner_parser, tuner_values
from nlmt.cli.weights import write_tuned
from nlmt.decoder import ENGINES, SearchOptions, TranslationEngine
from nlmt.decoder.ini_search import parse_switch, read_search
from nlmt.errors import InputError
from nlmt.io.lattice import is_fixed
from nlmt.io.locks import alone_in
from nlmt.io.moses_ini import MosesIni, format_ini, movable, read_ini
from nlmt.settings_check import read_settings
from nlmt.tuning import OBJECTIVES, ListTuner, TuningSettings, run_fingerprint
from nlmt.tuning.loop import tune, write_result

DESCRIPTION = """\
Tunes the weights of a moses.ini, as mert-moses.pl does: translates the source, adds the new
translations to those of earlier iterations, finds weights that maximise the quality of the best of
them, and translates again, until the decoder's own translations no longer improve. The folder gets

  moses.ini      with the tuned weights
  weights.json   the weights, and what they reach
  log.tsv        a line an iteration

Meanwhile the folder also has a checkpoint: an interrupted run resumes when the same command is
given again, and ends with the same weights.
"""
EPILOG = """\
methods, the first being the default:
{lists}

methods on lattices, which the decoder then writes instead of n-best lists:
{lattices}

Search settings are those of the moses.ini; --decoder-flags gives others, which translating with the
tuned moses.ini needs, too. With --moses the decoder is Moses itself.

examples:
  nlmt tune --decode moses.ini --source dev.fr --reference dev.en --folder tuned
  nlmt tune --decode moses.ini --source dev.fr --reference dev.en0 dev.en1 --folder tuned \\
      --method pro --decoder-flags '-search-algorithm 1 -cube-pruning-pop-limit 400 -s 400' \\
      --threads 2
  nlmt decode -f tuned/moses.ini -i test.fr > test.hyp
"""
_CHECKPOINT = "checkpoint"


def run(options: Options) -> None:
    """Tune the weights of a moses.ini, and write it with them."""
    source, *references = read_texts([options.source, *options.reference])
    if not source:
        raise InputError("no sentences to tune on: the text is empty", path=options.source)
    engine, folder, settings = _open(options), options.folder, options.settings
    with alone_in(folder):
        result = tune(
            engine,
            source,
            references,
            settings,
            seed=options.seed,
            checkpoint=folder / _CHECKPOINT,
            fingerprint=run_fingerprint(engine, options.decode),
            threads=options.threads,
        )
        write_result(folder / "weights.json", folder / "log.tsv", result, engine)
        write_tuned(options.decode, folder / "weights.json", folder / "moses.ini")
        shutil.rmtree(folder / _CHECKPOINT)
    print(f"iterations: {len(result.log)}")
    label = OBJECTIVES.get(settings.objective).label
    print(f"{label}: {result.outcome.final:.2f} (before {result.outcome.initial:.2f})")
    print(f"tuned: {folder / 'moses.ini'}")


def check(options: Options) -> None:
    """Refuse wrong settings, flags that are not of the search, and a folder with tuned weights."""
    options.settings = _settings(options)
    options.flags = _decoder_flags(options.decoder_flags)
    finished = (options.folder / "weights.json").exists()
    if finished and not (options.overwrite or (options.folder / _CHECKPOINT).exists()):
        hint = "give another folder, or --overwrite"
        raise InputError("the folder has tuned weights", path=options.folder, hint=hint)


def _open(options: Options) -> TranslationEngine:
    ini = read_ini(options.decode)
    format_ini(movable(ini, options.decode))  # what could not be written at the end
    on_lists = isinstance(options.settings.tuner(), ListTuner)
    _refuse_untuneable(ini, options.decode, () if on_lists else ("tuneable",))
    said, _ = read_search(ini, options.decode)
    search = _search(said, options.flags)
    engine = ENGINES.get("nlmt" if options.moses is None else "moses")
    program = None if options.moses is None else str(options.moses)
    found = {**engine.find(program), "path": program}
    return engine.open(options.decode, found, search=search, threads=options.threads)


def _refuse_untuneable(ini: MosesIni, path: Path, settings: Sequence[str]) -> None:
    """Raise InputError for `tuneable-components`, or one of `settings`, that changes what is tuned.

    Results have all weights of a label. Lattices have the values of all features, `tuneable` or
    not, and all weights but those of UnknownWordPenalty are tuned on them.
    """
    for feature in ini.features:
        fixed = is_fixed(feature.kind)
        for name in ("tuneable-components", *settings):
            values = feature.arguments.get(name, str(not fixed)).split(",")
            if fixed in map(parse_switch, values):
                what = f"{feature.label}: {name}={feature.arguments[name]} is not supported here"
                raise feature.fault(path, what, "remove it; --tune names the features to tune")


def _search(said: SearchOptions, flags: Sequence[str]) -> SearchOptions:
    return search_options(said, flag_parser().parse_args(["-f", "-", *flags]))


def _decoder_flags(text: str) -> list[str]:
    """Parse flags of the search."""
    try:
        flags = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--decoder-flags {text!r}: {error}") from error
    _search(SearchOptions(), flags)
    allowed = {
        name
        for action in flag_parser()._actions
        if action.dest in SEARCH_FLAGS
        for name in action.option_strings
    }
    for flag in flags:
        if re.match("--?[A-Za-z]", flag) and flag not in allowed:
            hint = "only flags of the search are allowed"
            raise InputError(f"--decoder-flags: {flag}", hint=hint)
    return flags


def _settings(options: Options) -> TuningSettings:
    default = TuningSettings()
    given = {
        **tuner_values(options, options.method or default.method, default),
        "nbest": options.size,
        "lattice_density": options.density,
        "interpolation": options.interpolation,
        "max_iterations": options.iterations,
    }
    return read_settings(TuningSettings, given)


def parser() -> Parser:
    """The arguments."""
    parser = tuner_parser(DESCRIPTION, EPILOG)
    add, default = parser.add_argument, TuningSettings()
    add("--decode", type=IN, required=True, metavar="INI", help="the moses.ini to start from")
    add("--source", type=TEXT, required=True, help="sentences on which to tune")
    what = "their translations, one or more sets of lines"
    add("--reference", type=TEXT, nargs="+", required=True, help=what)
    add("--folder", type=OUT_FOLDER, required=True, help="folder for the outputs")
    what = "replace tuned weights in the folder"
    add("--overwrite", action="store_true", help=what)
    add("--decoder-flags", default="", metavar="FLAGS", help="search settings, as in nlmt decode")
    add("--moses", type=IN, metavar="PROGRAM", help="translate with this Moses")
    add_tuner_options(parser, default)
    what = "distinct translations per sentence and iteration (default: %(default)s)"
    add("--size", type=positive, default=default.nbest, help=what)
    what = "arcs of lattices per word (default: %(default)g)"
    add("--density", type=float, default=default.lattice_density, metavar="N", help=what)
    what = "maximum number of decoder runs (default: %(default)s)"
    add("--iterations", type=positive, default=default.max_iterations, help=what)
    what = "share of the new weights, for interpolated methods (default: %(default)s)"
    add("--interpolation", type=float, default=default.interpolation, help=what)
    return parser
