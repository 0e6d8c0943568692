"""Luong, Kayser and Manning (2015): models of one to four hidden layers that see the source."""

from collections.abc import Callable, Mapping, Sequence

from nlmt.papers.common_tables import by_test_set, chosen_settings, training_table
from nlmt.papers.curves import curves_figure
from nlmt.papers.paper import LearntText, Paper, Table
from nlmt.papers.quantities import Quantity, normaliser, perplexity, training_record
from nlmt.papers.scores import best_gain, correlation_with_perplexity, mean_gain, score
from nlmt.papers.sizes import size_of_held_out, size_of_text
from nlmt.papers.tables import quantity_table

BASELINE, ONE_LAYER = "luong2015_baseline", "luong2015_1layer"
RERANKED = "luong2015_reranked"  # the baseline, reranked without a neural model
# The decoder with only its first n-gram model, and with a model over classes beside it.
ONE_MODEL, CLASSES, CLASS_MODEL = "luong2015_kn5", "luong2015_classes", "luong2015_class6"
# Name of system and model for each row of the paper's tables.
LAYERS = {
    "1 layer": ONE_LAYER,
    "2 layers": "luong2015_2layer",
    "3 layers": "luong2015_3layer",
    "4 layers": "luong2015_4layer",
}
DEEP = (LAYERS["3 layers"], LAYERS["4 layers"])
# Our set for each of the paper's names of sets; empty: the first one.
SETS = {"dev": "dev2", "test1": "", "test2": "luong2015_test2"}
DOMAIN = "luong2015_domain"
DOMAIN_BASELINE, DOMAIN_RERANKED = f"{DOMAIN}_baseline", f"{DOMAIN}_reranked"
# For each row of table 3 the system, and the model whose adapted version it rescores with.
ADAPTED = {
    "1 layer": (f"{DOMAIN}_1layer", ONE_LAYER),
    "2 layers": (f"{DOMAIN}_2layer", LAYERS["2 layers"]),
    "3 layers": (f"{DOMAIN}_3layer", LAYERS["3 layers"]),
}
GENERAL = "_general"  # end of the names of systems whose models are not adapted
DOMAIN_SETS, DOMAIN_TRAINING = {"dev": f"{DOMAIN}_dev", "test": DOMAIN}, f"{DOMAIN}_train"
# Models are trained twice: in the paper's way, and in that of other networks here. Ending of the
# names of systems and models, by ending of column headings.
ADAGRAD = ", AdaGrad"
TRAININGS = {"": "", ADAGRAD: "_adagrad"}
MERT = "_mert"  # end of the names of systems whose weights are tuned again by MERT
FOR_BLEU = "_bleu"  # end of the names of systems that are tuned for BLEU
# Models of section 2: with all parts of the paper's training, and each without one.
WITHOUT = {
    "3 layers": LAYERS["3 layers"],
    "3 layers, tanh": f"{LAYERS['3 layers']}_tanh",
    "3 layers, constant rate": f"{LAYERS['3 layers']}_constant",
    "3 layers, short sentences, too": f"{LAYERS['3 layers']}_short",
}
COMBINED = "(TER-BLEU)/2"
# Ending of the systems' names for each column of table 4, where not all features are tuned.
FEATURES = {"LMs + WP": "_lms_wp", "LMs": "_lms"}


def _scores(system: str, against: str, sets: Mapping[str, str] = SETS) -> dict[str, Quantity]:
    """TER and BLEU of a system on each set."""
    return {
        f"{name} / {metric}": score(system, metric, against, test_set)
        for name, test_set in sets.items()
        for metric in ("TER", "BLEU")
    }


def _gains(
    over: str, systems: Sequence[str], sets: Mapping[str, str] = SETS
) -> dict[str, Quantity]:
    """The gain of the best of some systems over another one, on each set."""
    return {
        f"{name} / {metric}": best_gain(over, systems, metric, test_set)
        for name, test_set in sets.items()
        for metric in ("TER", "BLEU")
    }


def _mean_gains(over: str, systems: Sequence[str]) -> dict[str, Quantity]:
    """The mean gain, over both test sets, of the better of some systems over another one."""
    test_sets = (SETS["test1"], SETS["test2"])
    return {metric: mean_gain(over, systems, test_sets, metric) for metric in ("TER", "BLEU")}


def _adapted(system: str, model: str) -> dict[str, Quantity]:
    """Cells of an adapted model and the system that reranks with it."""
    return {
        "perplexity": perplexity(f"{model}_adapted", "test"),
        "abs. log Z": normaliser(f"{model}_adapted"),
        **_scores(system, DOMAIN_RERANKED, DOMAIN_SETS),
    }


def _not_adapted(system: str) -> dict[str, Quantity]:
    """Cells of a system that reranks with the model of AdaGrad on the general domain."""
    name = system + TRAININGS[ADAGRAD] + GENERAL
    scores = _scores(name, DOMAIN_RERANKED, DOMAIN_SETS)
    return {column + ADAGRAD: score for column, score in scores.items()}


def _model(model: str, shallower: str = "") -> dict[str, Quantity]:
    """Perplexities and normalisers of a model, compared with the one of one layer less."""
    return {
        "Valid": perplexity(model, "dev", against=shallower),
        "Test": perplexity(model, "test", against=shallower),
        "abs. log Z": normaliser(model, against=shallower),
        "abs. log Z, dev": normaliser(model, "dev", against=shallower),
        "Training speed": training_record(model, "tokens_per_second", "tokens a second"),
    }


def _features(system: str) -> dict[str, Quantity]:
    """Cells of a system with each set of features whose weights are tuned again."""
    everything = system if system.endswith(TRAININGS[ADAGRAD]) else system + MERT
    systems = {"All": everything, **{column: system + end for column, end in FEATURES.items()}}
    return {column: score(name, COMBINED, everything) for column, name in systems.items()}


def _in_both(cells: Callable[..., Mapping[str, Quantity]], *names: str) -> dict[str, Quantity]:
    """The cells of a row for each way of training.

    The names are those of its systems and models, without the ending for the way of training.
    """
    return {
        column + heading: quantity
        for heading, end in TRAININGS.items()
        for column, quantity in cells(*(name + end for name in names)).items()
    }


def _by_depth(cells: Callable[[str], Mapping[str, Quantity]]) -> dict[str, dict[str, Quantity]]:
    """Rows of all depths, in both ways of training, by the name of the system."""
    return {row: _in_both(cells, name) for row, name in LAYERS.items()}


def _models() -> dict[str, dict[str, Quantity]]:
    """Rows of all depths, each compared with the model of one layer less."""
    rows = {}
    shallower: tuple[str, ...] = ()
    for row, name in LAYERS.items():
        rows[row] = _in_both(_model, name, *shallower)
        shallower = (name,)
    return rows


def _systems() -> dict[str, str]:
    """The system of tables 2 and 3 by the model that it reranks with."""
    return {
        **{name + end: name + end for end in TRAININGS.values() for name in LAYERS.values()},
        **{
            f"{model}{end}_adapted": system + end
            for end in TRAININGS.values()
            for system, model in ADAPTED.values()
        },
    }


TABLES: dict[str, Table] = {
    "table1": quantity_table(
        "Table 1: models of one to four hidden layers",
        _models(),
        note="Means over the runs. Perplexities are normalised, given source and alignment; log Z "
        "is that of the test text. The smaller it is, the closer are scores without normaliser to "
        "probabilities. Models trained as the paper's have one softmax over the most frequent "
        "words; their perplexities are of fewer words and do not compare with those of models "
        "trained by AdaGrad. The table of searches has what dev chooses among. p: against one "
        "layer less.",
    ),
    "table2": quantity_table(
        "Table 2: reranking 1000-best lists",
        {
            "baseline, not reranked": _scores(BASELINE, ""),
            "baseline": _scores(RERANKED, BASELINE),
            **_by_depth(lambda system: _scores(system, RERANKED)),
            "vs. baseline": _in_both(lambda *systems: _gains(RERANKED, systems), *LAYERS.values()),
            "vs. 1 layer": _in_both(lambda one, *others: _gains(one, others), *LAYERS.values()),
            **{f"{row}, MERT": _scores(system + MERT, BASELINE) for row, system in LAYERS.items()},
            **{
                f"{row}, tuned for BLEU": _scores(system + FOR_BLEU, BASELINE)
                for row, system in {"baseline": BASELINE, **LAYERS}.items()
            },
        },
        note="dev is our dev2, on which the weights of reranking are tuned, test1 our first test "
        "set, test2 is of another manual, at full scale of news. The decoder has three n-gram "
        "models. Decoder and reranking are tuned for (BLEU - TER) / 2, as the paper's, but for "
        "BLEU in the last rows, whose reranking is that of the same lists. Weights are tuned again "
        "by MIRA, at full scale by MERT; rows that say so have the paper's training and its MERT. "
        "Tuning them again changes scores by itself, so the baseline is reranked, too, without a "
        "neural model. p: against it; of it, of MERT and of BLEU against the one that is not. The "
        "rows of gains are of the best system of the rows above them, p times their number; TER "
        "gains by falling.",
    ),
    "classes": quantity_table(
        "More n-gram models in the decoder, one of them over classes",
        {
            "5-gram": {**_scores(ONE_MODEL, ""), "Test perplexity": perplexity("kn5")},
            "5-gram and class 6-gram": _scores(CLASSES, ONE_MODEL),
            "5-gram, and of further text a 5-gram and a class 6-gram": _scores(BASELINE, ONE_MODEL),
            "class 6-gram": {"Test perplexity": perplexity(CLASS_MODEL)},
        },
        note="The paper's decoder has three language models: of the bitext, of 16.3 billion words, "
        "and over classes, of the same 16.3 billion words. So has the third row, the baseline of "
        "the other tables, whose further text are other documents, at full scale news; both models "
        "of the second row are of one text. At full scale the first 5-gram of the baseline is of "
        "the bitext, that of the rows above of all text. p: against the 5-gram alone.",
    ),
    "table3": quantity_table(
        "Table 3: models adapted to a new domain",
        {
            "baseline, not reranked": _scores(DOMAIN_BASELINE, "", DOMAIN_SETS),
            "baseline": _scores(DOMAIN_RERANKED, DOMAIN_BASELINE, DOMAIN_SETS),
            **{row: _in_both(_adapted, *names) for row, names in ADAPTED.items()},
            **{f"{row}, not adapted": _not_adapted(system) for row, (system, _) in ADAPTED.items()},
            "vs. baseline": _in_both(
                lambda *systems: _gains(DOMAIN_RERANKED, systems, DOMAIN_SETS),
                *(system for system, _ in ADAPTED.values()),
            ),
            "vs. 1 layer": _in_both(
                lambda one, three: _gains(one, [three], DOMAIN_SETS),
                ADAPTED["1 layer"][0],
                ADAPTED["3 layers"][0],
            ),
        },
        note="The new domain is messages in the paper, the manual of GIMP in the default "
        "experiment; the weights of reranking are tuned on its dev. Perplexity and log Z are of "
        "the test text. Tuning the weights on the new domain's dev gains something by itself, so "
        "the baseline is reranked, too, without a neural model. p: against it, of it against the "
        "one that is not. The last two rows are what the best adapted system gains over it, p "
        "times their number, and three layers over one; TER gains by falling.",
    ),
    "figure1": curves_figure(
        "Figure 1: learning curves",
        LAYERS,
        note="Cross-entropy of the test text, in nats a word, after so many minibatches; training "
        "does not go by it. Models are trained as the paper's. Cross-entropies and gaps, which are "
        "differences of perplexities, are means over the runs, and over the evaluations from "
        "minibatch 20,000 and 30,000 on, as the paper describes its curves; shorter trainings have "
        "none.",
    ),
    "curves": curves_figure(
        "Learning curves of the models that are trained by AdaGrad",
        {row: model + TRAININGS[ADAGRAD] for row, model in LAYERS.items()},
        note="As figure 1. Minibatches are larger, and fewer.",
    ),
    "table4": quantity_table(
        "Table 4: features whose weights are tuned again",
        _by_depth(_features),
        note="All features, or the language models (LMs), with the word penalty (WP), and all "
        "others as one, tuned by MERT of the paper's training, by MIRA of AdaGrad's; a run in "
        "which these alone gain nothing on dev2 tunes all, too. Of our first test set; the "
        "smaller, the better. p: against all features.",
    ),
    "text": quantity_table(
        "In the text: mean gains, speed of training, sizes of texts",
        {
            "deep vs. baseline / mean of test1 and test2": _in_both(
                lambda *systems: _mean_gains(RERANKED, systems), *DEEP
            ),
            "deep vs. 1 layer / mean of test1 and test2": _in_both(
                lambda one, *deep: _mean_gains(one, deep), ONE_LAYER, *DEEP
            ),
            **{
                f"perplexity and {metric}": {
                    "rank correlation": correlation_with_perplexity(_systems(), metric)
                }
                for metric in ("BLEU", "TER")
            },
            **{
                row: {
                    "Test": perplexity(model, against="" if model in DEEP else WITHOUT["3 layers"])
                }
                for row, model in WITHOUT.items()
            },
            "training": _in_both(
                lambda model: {
                    "speed": training_record(model, "tokens_per_second", "tokens a second")
                },
                LAYERS["4 layers"],
            ),
            "bitext / sentences": {"size": size_of_text("train", unit="sentences")},
            "bitext / source": {"size": size_of_text("train", side="source")},
            "bitext / target": {"size": size_of_text("train")},
            "further text": {"size": size_of_text("texts/luong2015_further")},
            "validation set": {"size": size_of_text("dev", unit="sentences")},
            "test set": {"size": size_of_text("test", unit="sentences")},
            "decoder tuning set": {"size": size_of_text("dev")},
            "reranking tuning set": {"size": size_of_text(SETS["dev"])},
            "sms-chat / decoder tuning set": {"size": size_of_text("dev")},
            "sms-chat / reranking tuning set": {"size": size_of_held_out(DOMAIN_SETS["dev"])},
            "sms-chat / bitext / sentences": {
                "size": size_of_held_out(DOMAIN_TRAINING, "sentences")
            },
            "sms-chat / bitext / source": {
                "size": size_of_held_out(DOMAIN_TRAINING, side="source")
            },
            "sms-chat / bitext / target": {"size": size_of_held_out(DOMAIN_TRAINING)},
            "sms-chat / validation set": {
                "size": size_of_held_out(DOMAIN_SETS["dev"], "sentences")
            },
            "sms-chat / test set": {"size": size_of_held_out(DOMAIN, "sentences")},
        },
        note="deep: the better of three and four layers on each test set, as in table 2; TER gains "
        "by falling. Rank correlations are Spearman's of test perplexity and score over the models "
        "of tables 1 and 3, ranked among those of one training and domain; p is that of a "
        "permutation test, the interval by Fisher's z. Rows of 3 layers have test perplexities of "
        "the paper's training with one part less. The paper's speed is that of one Tesla K40 and "
        "of no stated depth, ours that of four layers. Weights of the decoder are tuned on the "
        "text that models are validated on, those of reranking on dev2. The paper's test set is "
        "that of table 1, which is test2 of table 2; ours is test1. Where the paper has messages "
        "(sms-chat), ours are another manual, by default that of GIMP, which the decoder has the "
        "same weights for. Tokens of tuning sets are those of the target side.",
    ),
    "searches": chosen_settings("luong2015"),
    "training": training_table("luong2015", further=tuple(WITHOUT.values())),
    "test_sets": by_test_set("luong2015"),
}

PAPER = Paper(
    title="Luong, Kayser and Manning (2015): Deep Neural Language Models for Machine Translation",
    about="Self-normalised feed-forward models that see a window of the source, of one to four "
    "hidden layers, rerank the n-best lists of a phrase-based system. The paper's models have "
    "embeddings of 256 numbers, layers of 512 units and one softmax over 40,000 words, trained by "
    "stochastic gradient descent on eleven million pairs of Chinese and English. The default "
    "experiment has 21,000 to 32,000 pairs of software help, embeddings of 64 numbers and "
    "layers of 200. Models are trained in the paper's way, over 3,000 words, and by AdaGrad with a "
    "class-factored output over all words.",
    tables=TABLES,
    pair="zh-en",
    figure="figure1",
    texts={"": LearntText("train", {"zh-en": 3.07e8})},  # section 3.1
    pairs=("zh-en", "fr-en", "de-en"),
    trainings={"the paper's training": "", "AdaGrad": ADAGRAD},
)
