"""`nlmt tune`: tune weights on n-best lists or lattices."""

from nlmt.cli import tune_decoder
from nlmt.cli.arguments import read_texts, weights_from
from nlmt.cli.files import IN, OUT, TEXT
from nlmt.cli.parser import Options, Parser
from nlmt.cli.tuner_options import add_tuner_options, tuner_parser, tuner_values
from nlmt.errors import InputError
from nlmt.io.lattice import tunable_features
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.nbest import read_feature_names, read_nbest
from nlmt.io.weights import Weights, write_weights
from nlmt.settings_check import read_settings
from nlmt.tuning import (
    OBJECTIVES,
    LatticeTuner,
    ListTuner,
    TunerSettings,
    tune_on_lattices,
    tune_reranking,
)
from nlmt.tuning.feature_names import divide
from nlmt.tuning.tuners import names_for

DESCRIPTION = """\
Finds weights that maximise the quality of the best hypotheses of n-best lists, or of the best paths
of lattices, and writes them as weights.json. The n-best lists of several decoder runs are merged.
To tune a decoder, by decoding and tuning in turn, see nlmt tune --decode INI --help.
"""

EPILOG = """\
methods on n-best lists, the first being the default:
{lists}

methods on lattices, likewise:
{lattices}

objectives: bleu, ter, ter-bleu ((TER - BLEU) / 2) and chrf, on all given references.

Only the proportions of weights matter; features that the initial weights lack start from 0 and from
the mean magnitude of the others. With --tune only the named features are tuned individually: the
others keep the proportions of the initial weights, and are tuned together as one. LM means LM0,
LM1, ... and so on: language models are LM NLM, with the word penalty LM NLM WordPenalty.
TranslationModel0.2 is the third score of TranslationModel0.

examples:
  nlmt tune --nbest dev.nbest.gz --reference dev.en --weights decoder.json --out weights.json
  nlmt tune --nbest dev.rescored.gz --reference dev.en0 dev.en1 --weights decoder.json \\
      --tune LM NLM WordPenalty --objective ter-bleu --runs 5 --out weights.json
  nlmt tune --nbest dev.nbest.gz --reference dev.en --method mira --option epochs=30 --out w.json
  nlmt tune --lattice dev.lattices --reference dev.en --out weights.json
  nlmt tune --decode moses.ini --source dev.fr --reference dev.en --folder tuned
"""

BY_OPTION = {"--decode": tune_decoder}


def run(options: Options) -> None:
    """Tune, write the weights, and print their objective."""
    settings, seed, threads = options.settings, options.seed, options.threads
    references = read_texts(options.reference)
    initial: Weights = weights_from(options.weights) if options.weights else {}
    if options.lattice:
        lattices = LatticeFile(options.lattice)
        divide(tunable_features(lattices.feature_names), settings.tuned, settings.left_out)
        last = lattices[len(lattices) - 1].sentence if len(lattices) else -1
        if last >= len(references[0]):
            what = f"a lattice of sentence {last}, but there are {len(references[0])} references"
            hint = "sentences count from 0; give the references of the text that was decoded"
            raise InputError(what, path=options.lattice, hint=hint)
        initial = initial or lattices.weights
        weights, outcome = tune_on_lattices(
            lattices, references, initial, settings, seed=seed, threads=threads
        )
    else:
        if names := read_feature_names(options.nbest[0]):
            divide(names, settings.tuned, settings.left_out)
        lists = [read_nbest(path) for path in options.nbest]
        weights, outcome = tune_reranking(
            lists, references, initial, settings, seed=seed, threads=threads
        )
    write_weights(options.out, weights, **outcome.facts(), seed=seed)
    for label, values in weights.items():
        print(f"{label}= {' '.join(f'{weight:.6g}' for weight in values)}")
    length = "" if outcome.length is None else f", length {outcome.length:.3f}"
    print(
        f"{OBJECTIVES.get(settings.objective).label}: {outcome.final:.2f} "
        f"(before {outcome.initial:.2f}){length}"
    )


def check(options: Options) -> None:
    """Refuse methods and options that do not fit; gather the settings."""
    methods = names_for(LatticeTuner if options.lattice else ListTuner)
    method = options.method or methods[0]
    if method not in methods:
        on, other = ("lattices", "--nbest") if options.lattice else ("n-best lists", "--lattice")
        what = f"--method {method} does not work on {on}"
        raise InputError(what, hint=f"with {other}; here one of {', '.join(methods)}")
    values = tuner_values(options, method, TunerSettings())
    options.settings = read_settings(TunerSettings, values)


def parser() -> Parser:
    """The arguments."""
    parser = tuner_parser(DESCRIPTION, EPILOG)
    add = parser.add_argument
    on = parser.add_mutually_exclusive_group(required=True)
    on.add_argument("--nbest", type=IN, nargs="+", metavar="FILE", help="lists on which to tune")
    on.add_argument("--lattice", type=IN, metavar="FILE", help="lattices on which to tune: a file"
        " of nlmt decode -output-lattice, or rescored")  # fmt: skip
    add("--reference", type=TEXT, nargs="+", required=True, help="references")
    add("--weights", type=IN, help="weights to start from, a"
        " weights.json or moses.ini (lattices bring their own)")  # fmt: skip
    add("--out", type=OUT, required=True, help="weights.json to write")
    add_tuner_options(parser, TunerSettings())
    return parser
