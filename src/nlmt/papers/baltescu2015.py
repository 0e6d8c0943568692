"""Baltescu and Blunsom (2015): neural language models inside the decoder, scaled and alone."""

from collections.abc import Iterator

from nlmt.paper_settings import PaperSettings
from nlmt.papers.common_tables import by_test_set, chosen_settings, training_table
from nlmt.papers.complexity_tables import TABLE1, TIMES
from nlmt.papers.corpora import TABLE2, TABLE3
from nlmt.papers.memory import BACKOFF, EIGHT_BITS, NEURAL, memory_figure
from nlmt.papers.paper import LearntText, Paper, Table
from nlmt.papers.quantities import Quantity, perplexity, training_record
from nlmt.papers.scores import average_bleu, tuned_weight
from nlmt.papers.tables import quantity_table
from nlmt.papers.times import (
    decoding_speed_up,
    decoding_time,
    epoch_time,
    training_speed,
    training_time,
)
from nlmt.settings import setting

BASELINE = "baltescu2015_baseline"
# Systems that decode with a single neural model.
CLASS, FULL, TREE = "baltescu2015_class", "baltescu2015_full", "baltescu2015_tree"
FREQUENCY, LIKELIHOOD = "baltescu2015_frequency", "baltescu2015_likelihood"
MATRICES, FULL_MATRICES = "baltescu2015_matrices", "baltescu2015_full_matrices"
BESIDE = "baltescu2015_class_kn5"  # KenLM and the class-factored model

# Models are trained twice: in the paper's way, and in that of other networks here. Ending of the
# names of systems and models, by ending of column headings.
TRAININGS = {"": "_descent", ", AdaGrad": ""}
AS_THE_PAPER = (CLASS, FULL, TREE, FREQUENCY, LIKELIHOOD, MATRICES)  # trained as the paper's, too

NOTE = (
    "Models are trained by gradient descent with an L2 penalty, as the paper's, with what dev "
    "prefers of a few rates and penalties, which the paper does not name; in columns that say so, "
    "by AdaGrad with dropout. BLEU is the average over the test sets."
)


class Baltescu2015Settings(PaperSettings):
    """Settings of the measurement of times, for tables 1 and 8 to 11."""

    timed_sentences: int = setting(
        300, "Sentences of the test text to translate for a time.", ge=1, unit="sentences"
    )
    repetitions: int = setting(3, "Number of measurements of each time.", ge=2)
    vocabularies: tuple[int, ...] = setting(
        (1_000, 3_000, 10_000, 30_000, 100_000),
        "Sizes of the synthetic vocabularies of table 1.",
        min_length=2,
        unit="words",
    )
    complexity_dim: int = setting(100, "D of the models of table 1.", ge=1)
    complexity_tokens: int = setting(
        10_000,
        "Tokens on which a full softmax of table 1 is trained, and that it scores; other outputs "
        "have twenty times as many.",
        ge=1,
        unit="tokens",
    )


def _trainings(system: str, reference: str = CLASS) -> Iterator[tuple[str, str, str]]:
    """A system in each of its ways of training.

    Yields:
        Ending of its column headings, its name, and the name of the reference trained likewise.
    """
    for heading, end in TRAININGS.items():
        if not end or system in AS_THE_PAPER or system.endswith("_kn5"):
            yield heading, system + end, reference + end


def _bleu(system: str, reference: str = CLASS) -> dict[str, Quantity]:
    """BLEU, against the reference of the same training; of the reference, against KenLM."""
    return {
        f"BLEU{heading}": average_bleu(name, BASELINE if name == other else other)
        for heading, name, other in _trainings(system, reference)
    }


def _perplexity(system: str, heading: str = "Perplexity") -> dict[str, Quantity]:
    """Test perplexity of the system's neural model, against the class-factored one."""
    return {
        heading + end: perplexity(name, against="" if name == other else other)
        for end, name, other in _trainings(system)
    }


def _training(system: str, heading: str = "Training time") -> dict[str, Quantity]:
    """Times of an epoch and of the whole training of the system's neural model, and the speed."""
    cells: dict[str, Quantity] = {}
    for end, name, _ in _trainings(system):
        cells[heading + end] = epoch_time(name)
        cells[f"Whole training{end}"] = training_time(name)
        cells[f"Training speed{end}"] = training_speed(name)
    return cells


def _decoding(system: str, unnormalised: str, how: str = "") -> dict[str, Quantity]:
    """Time to decode with a class-factored and with an unnormalised model."""
    return {
        f"Decoding time{how}": decoding_time(system),
        f"Decoding time, unnormalised{how}": decoding_time(unnormalised),
    }


def _by_dim(*dims: int) -> dict[str, str]:
    """Neural models of figure 2 by name of the row."""
    return {f"D {dim}": f"baltescu2015_dim{dim}" for dim in dims}


TABLES: dict[str, Table] = {
    "table1": TABLE1,
    "complexity": TIMES,
    "table2": TABLE2,
    "table3": TABLE3,
    "table4": quantity_table(
        "Table 4: a back-off and a class-factored neural model, each alone in the decoder",
        {
            "KenLM": {
                "BLEU": average_bleu(BASELINE, CLASS),
                "perplexity": perplexity("baltescu2015_kn5"),
            },
            "NLM": {
                **_bleu(CLASS),
                **{
                    f"perplexity{end}": perplexity(name, against="baltescu2015_kn5")
                    for end, name, _ in _trainings(CLASS)
                },
            },
        },
        note=NOTE
        + " KenLM's perplexity is that of a model with the words of the neural one, all others "
        "being <unk>; the model that decodes has all words of the bitext. Perplexities are of the "
        "first test set. p: against KenLM.",
    ),
    "table5": quantity_table(
        "Table 5: neural models beside KenLM in the decoder",
        {
            "Unnormalised": _bleu("baltescu2015_full_kn5", BESIDE),
            "Class Factored": _bleu(BESIDE, BESIDE),
            "Tree Factored": _bleu("baltescu2015_tree_kn5", BESIDE),
            "KenLM alone": {"BLEU": average_bleu(BASELINE, BESIDE)},
            "Class Factored, unnormalised scores": {
                "BLEU, AdaGrad": average_bleu(f"{BESIDE}_unnormalised", BESIDE)
            },
        },
        note=NOTE
        + " p: against the class-factored model of the same training, and of that one against "
        "KenLM alone. The last two rows are not in the paper's table.",
    ),
    "table6": quantity_table(
        "Table 6: neural models alone in the decoder",
        {
            "Unnormalised": _bleu(FULL),
            "Class Factored": _bleu(CLASS),
            "Tree Factored": _bleu(TREE),
        },
        note=NOTE + " p: against the class-factored model of the same training, and of that one "
        "against KenLM.",
    ),
    "table7": quantity_table(
        "Table 7: how classes and trees are made",
        {
            row: {**_bleu(system), **_perplexity(system, "perplexity")}
            for row, system in {
                "Class Factored / Brown clustering": CLASS,
                "Class Factored / Frequency binning": FREQUENCY,
                "Tree Factored / Huffman encoding": TREE,
                "Class Factored / Exchange": "baltescu2015_exchange",
                "Class Factored / Square-root binning": "baltescu2015_square_root",
                "Class Factored / Speed-regularised": "baltescu2015_speed",
                "Tree Factored / Brown clustering": "baltescu2015_brown_tree",
            }.items()
        },
        note=NOTE + " p: against Brown clustering with the same training, and of that against "
        "KenLM. The last four rows and the perplexities are not in the paper's table; it could not "
        "afford Brown's tree. Speed-regularised classes are those of Auli et al. (2013).",
    ),
    "table8": quantity_table(
        "Table 8: seconds to decode a sentence",
        {
            row: {"Average decoding time": decoding_time(system)}
            for row, system in {
                "KenLM": "baseline",
                "Unnormalised NLM": FULL,
                "Class Factored NLM": CLASS,
                "Tree Factored NLM": TREE,
            }.items()
        },
        note="The mean of several repetitions with nothing else running, each with a decoder that "
        "has just been started, and their spread. The paper names no machine. Models are those "
        "trained by AdaGrad.",
    ),
    "table9": quantity_table(
        "Table 9: likelihood against noise-contrastive estimation, class-factored",
        {
            row: {**_perplexity(system), **_bleu(system), **_training(system, "Duration")}
            for row, system in {"SGD": LIKELIHOOD, "NCE": CLASS}.items()
        },
        note=NOTE
        + " SGD is the paper's name of likelihood training. Durations are of an epoch on one "
        "thread, as trainings end at different epochs: the mean of several repetitions with "
        "nothing else running, of a search with its first settings. The paper has whole trainings, "
        "and names neither epochs nor machine. p: against NCE with the same training, and of that "
        "against KenLM.",
    ),
    "table10": quantity_table(
        "Table 10: training time",
        {
            row: _training(system)
            for row, system in {
                "Unnormalised / NCE": FULL,
                "Class Factored / NCE": CLASS,
                "Tree Factored / SGD": TREE,
                "Class Factored / SGD": LIKELIHOOD,
            }.items()
        },
        note=NOTE + " Times as in table 9. The last row is from there.",
    ),
    "table11": quantity_table(
        "Table 11: full against diagonal context matrices",
        {
            "Full": {
                **_perplexity(MATRICES),
                **_bleu(MATRICES),
                **_training(MATRICES),
                **_decoding(f"{MATRICES}_computed", f"{FULL_MATRICES}_computed"),
                **_decoding(MATRICES, FULL_MATRICES, ", products kept"),
            },
            "Diagonal": {
                **_perplexity(CLASS),
                **_bleu(CLASS),
                **_training(CLASS),
                **_decoding(CLASS, FULL),
            },
        },
        note=NOTE
        + " Models are class-factored, but for the unnormalised ones of two columns. Times as in "
        "tables 8 and 9; products of words with full matrices are computed whenever they are "
        "needed, as the paper's are, or kept, as by Devlin et al. (2014). p: against diagonal "
        "matrices with the same training, and of these against KenLM.",
    ),
    "text": quantity_table(
        "Sections 6 and 8: tuned weights, and the speed of decoding with diagonal matrices",
        {
            **{
                f"{row} / {name}": {
                    f"weight{end}": tuned_weight(system, feature)
                    for end, system, _ in _trainings(f"{kind}_kn5")
                }
                for row, kind in {
                    "Unnormalised": FULL,
                    "Class Factored": CLASS,
                    "Tree Factored": TREE,
                }.items()
                for name, feature in {"KenLM": "LM0", "NLM": "NLM0"}.items()
            },
            **{
                f"Diagonal vs. Full / {row}": {"decoding speed-up": decoding_speed_up(system, full)}
                for row, system, full in (
                    ("Unnormalised", FULL, f"{FULL_MATRICES}_computed"),
                    ("Class Factored", CLASS, f"{MATRICES}_computed"),
                )
            },
        },
        note="Weights are means over the runs, of a back-off and a neural model in one "
        "decoder. Both scores are natural logarithms of probabilities, so that their weights "
        "compare; the absolute values of all weights of a system add up to 1. Speed-ups are those "
        "of the decoding times of table 11.",
    ),
    "combinations": quantity_table(
        "Beyond the paper: networks that read whole sentences, and combinations",
        {
            row: {"BLEU": average_bleu(system, against)}
            for row, system, against in (
                ("KenLM alone", BASELINE, BESIDE),
                ("Class Factored in the decoder", BESIDE, BASELINE),
                ("GRU on lists", "baltescu2015_gru", BASELINE),
                ("LSTM on lists", "baltescu2015_lstm", BASELINE),
                ("Transformer on lists", "baltescu2015_transformer", BASELINE),
                (
                    "Class Factored in the decoder, GRU on lists",
                    "baltescu2015_inside_and_gru",
                    BESIDE,
                ),
                ("Class Factored in the decoder, all others on lists", "baltescu2015_all", BESIDE),
            )
        },
        note="KenLM decodes in every row. Models are trained by AdaGrad with dropout, the "
        "transformer by Adam. Lists are reranked with weights tuned on dev. p: against KenLM "
        "alone, and of the last two rows against the class-factored model in the decoder.",
    ),
    "figure2": memory_figure(
        "Figure 2: quality against memory, each model alone in the decoder",
        {
            BACKOFF: {
                **{
                    f"{share} % of the text": f"baltescu2015_kn5_{share}pct"
                    for share in (1, 3, 10, 30)
                },
                "all text": "baltescu2015_kn5_trie",
            },
            NEURAL: {
                **_by_dim(10, 25, 50, 100),
                "D of the tables": CLASS,
                **_by_dim(400, 1000, 2000, 5000),
            },
            EIGHT_BITS: {
                **_by_dim(10, 25, 50, 100),
                "D of the tables": CLASS,
                **_by_dim(400),
            },
        },
        note="BLEU on the first test set. Memory is what a process grows by when it loads the "
        "model. Back-off models are KenLM's, as the paper's: tries with probabilities in 8 bits. "
        "Neural models are class-factored, trained by AdaGrad. Models in 8 bits keep word vectors "
        "so in the decoder (docs/neural.md) and translate with the weights of those in single "
        "precision, against which their p is. The paper's limit of 1 GB is a twelfth of its "
        "largest back-off model. "
        "The lead under 1 GB is the mean over the sizes of files that both kinds have, up to a "
        "twelfth of our largest back-off model if that is among them, on straight lines over the "
        "logarithm of size. Samples grow by a factor of about 3; the first and the last gain are "
        "those of such a step.",
    ),
    "models": quantity_table(
        "All models",
        {
            model: {
                "dev perplexity": perplexity(model, "dev"),
                "test perplexity": perplexity(model, "test"),
                **(
                    {}
                    if model == "baltescu2015_kn5"
                    else {"abs. log Z of dev": training_record(model, "dev_mean_abs_log_z", "nats")}
                ),
            }
            for model in (
                "baltescu2015_kn5",
                CLASS,
                FULL,
                TREE,
                "baltescu2015_brown_tree",
                FREQUENCY,
                "baltescu2015_exchange",
                "baltescu2015_square_root",
                "baltescu2015_speed",
                LIKELIHOOD,
                MATRICES,
                *(f"{system}_descent" for system in AS_THE_PAPER),
                *_by_dim(10, 25, 50, 100, 400, 1000, 2000, 5000).values(),
            )
        },
        note="Perplexities are normalised, words outside the vocabulary counted as <unk>.",
    ),
    "searches": chosen_settings("baltescu2015"),
    "training": training_table("baltescu2015"),
    "test_sets": by_test_set("baltescu2015"),
}

PAPER = Paper(
    title="Baltescu and Blunsom (2015): Pragmatic Neural Language Modelling in Machine Translation",
    about="How feed-forward language models are made fast enough for the decoder: softmax layers "
    "without normaliser, factored by classes or by trees, noise-contrastive estimation and "
    "diagonal context matrices; and how they translate beside a back-off model and without one. "
    "The paper trained models of 500 dimensions on up to two billion words by gradient "
    "descent with an L2 penalty. The default experiment has half a million words of software help "
    "and 200 dimensions, with 3 sqrt(V) classes, and words that occur once are <unk>. Models are "
    "trained in the paper's way, and by AdaGrad with dropout, as other networks here.",
    tables=TABLES,
    pair="fr-en",
    figure="figure2",
    texts={"": LearntText(words={"fr-en": 2.05e9, "en-cs": 5.66e8, "en-de": 1.57e9})},  # table 3
    pairs=("fr-en", "en-cs", "en-de"),
    settings=Baltescu2015Settings,
    trainings={"gradient descent": "", "AdaGrad": ", AdaGrad"},
)
