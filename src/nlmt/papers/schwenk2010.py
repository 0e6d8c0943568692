"""Schwenk (2010): continuous-space models of translation and language rescore n-best lists."""

from pathlib import Path

from nlmt.io.json_files import read_json
from nlmt.paper_settings import PaperSettings
from nlmt.papers.common_tables import by_test_set, chosen_settings, training_table
from nlmt.papers.paper import LearntText, Paper, Table
from nlmt.papers.plots import draw_scores
from nlmt.papers.quantities import Quantity, of_model, of_text, perplexity, short_list_share
from nlmt.papers.results import ALL_PAIRS, Measurement
from nlmt.papers.scores import average_bleu, tuned_score
from nlmt.papers.sizes import size_of_text
from nlmt.papers.tables import quantity_table
from nlmt.papers.times import decoding_time, evaluated_share, rescoring_speed, training_speed
from nlmt.settings import setting

BASELINE, TUPLES = "schwenk2010_baseline", "schwenk2010_tuples"
# The same lists, their weights tuned again without a neural model.
RETUNED, TUPLES_RETUNED = "schwenk2010_retuned", "schwenk2010_tuples_retuned"
CSLM = "schwenk2010_cslm"
NIST = "schwenk2010_nist"
# Language models of the NIST task; systems have the same names.
NIST_MODELS = {"CSLM": f"{NIST}_cslm", "interpolated CSLMs": f"{NIST}_mixture"}
# Model of each row; the CSLM's short-list grows with the scale.
SHORT_LISTS = {
    "short-list of 256 words": f"{CSLM}_256",
    "short-list of the CSLM": CSLM,
    "short-list of 4096 words": f"{CSLM}_4096",
    "short-list of 12288 words": f"{CSLM}_12288",  # at full scale
}
# Model by the number of words in a bunch.
BUNCHES = {
    1: "schwenk2010_bunch1",
    8: "schwenk2010_bunch8",
    32: CSLM,
    128: "schwenk2010_bunch128",
}


class Schwenk2010Settings(PaperSettings):
    """Settings of the measurement of rescoring speed."""

    timed_lists: int = setting(
        20, "Sentences whose n-best lists are scored for a time.", ge=1, unit="sentences"
    )
    repetitions: int = setting(3, "Number of measurements of each time.", ge=2)


def _bleu(system: str, against: str = "") -> dict[str, Quantity]:
    """BLEU of a system, averaged over the test sets."""
    return {"BLEU": average_bleu(system, against)}


def _decoding(system: str) -> dict[str, Quantity]:
    """Time to decode a text, and the same text again."""
    return {
        "Decoding time": decoding_time(system),
        "Decoding time, again": decoding_time(system, again=True),
    }


def _listed_words(path: Path) -> Measurement:
    return Measurement(float(read_json(path)["model"]["short_list"]))


def _predicted_share(path: Path) -> Measurement:
    return Measurement(100 * of_text(path, "test", "predicted_share"))


def _short_list(model: str) -> dict[str, Quantity]:
    """Cells of a model with a short-list; requests are counted of the CSLM that rescores lists."""
    return {
        "size": of_model(model, "words", "config.json", _listed_words),
        "share of requests": short_list_share(model, CSLM),
        "share of the test text": of_model(model, "%", "perplexity.json", _predicted_share),
        "test perplexity": perplexity(model),
        "Training speed": training_speed(model),
    }


TABLES: dict[str, Table] = {
    "table1": quantity_table(
        "Table 1: rescoring with a continuous-space language model",
        {
            "Phrase-based / Ref., not tuned again": _bleu(BASELINE),
            "Phrase-based / Ref.": _bleu(RETUNED, BASELINE),
            "Phrase-based / CSLM": _bleu(CSLM, RETUNED),
            "Phrase-based / CSLM in place of the back-off model": _bleu(f"{CSLM}_alone", RETUNED),
            "Phrase-based / class-factored model": _bleu("schwenk2010_class_factored", RETUNED),
            "N-gram-based / Ref., not tuned again": _bleu(TUPLES, BASELINE),
            "N-gram-based / Ref.": _bleu(TUPLES_RETUNED, TUPLES),
            "N-gram-based / CSLM": _bleu(f"{TUPLES}_cslm", TUPLES_RETUNED),
        },
        note="The class-factored model is the feed-forward one of the default experiment, which "
        "has no short-list but all words of the text that occur at least twice, at full scale all. "
        "The n-gram-based system composes translations of tuples. Tuning the weights of lists "
        "again changes scores by itself, so the reference systems are tuned again, too. p: "
        "against that of the same kind; of these against those that are not tuned again, of which "
        "the n-gram-based one has that against the phrase-based one. The "
        "figure's intervals are those of the same differences.",
        draw=draw_scores,
    ),
    "decoder": quantity_table(
        "The continuous-space language model inside the decoder",
        {
            row: {**_bleu(system, against), **({} if on_lists else _decoding(system))}
            for row, system, against, on_lists in (
                ("back-off model", BASELINE, "", False),
                ("CSLM on lists", CSLM, BASELINE, True),
                ("CSLM in the decoder", f"{CSLM}_decoder", CSLM, False),
                ("CSLM on lists, in place of the back-off model", f"{CSLM}_alone", CSLM, True),
                (
                    "CSLM in the decoder, in place of the back-off model",
                    f"{CSLM}_decoder_alone",
                    f"{CSLM}_alone",
                    False,
                ),
            )
        },
        note="Beyond the paper, which expects very slow decoding of such a system. Times are those "
        "of one thread with nothing else running: of a text whose n-grams the model has not scored "
        "before, and of the same text again, the mean of several repetitions. p: in the decoder "
        "against on lists, on lists against the back-off model and, in its place, against the CSLM "
        "beside it.",
    ),
    "table2": quantity_table(
        "Table 2: back-off and continuous-space models of translation and language",
        {
            "Back-off TM+LM, not tuned again": _bleu(TUPLES, BASELINE),
            "Back-off TM+LM, TM of order 3": _bleu(f"{TUPLES}_tm3", TUPLES),
            "Back-off TM+LM": _bleu(TUPLES_RETUNED, TUPLES),
            "neural TM": _bleu(f"{CSLM}_tm", TUPLES_RETUNED),
            "neural LM": _bleu(f"{CSLM}_lm", TUPLES_RETUNED),
            "neural TM+LM": _bleu(f"{CSLM}_both", TUPLES_RETUNED),
            "neural TM, class-factored": _bleu("schwenk2010_neural_tm", TUPLES_RETUNED),
            "neural LM, class-factored": _bleu("schwenk2010_neural_lm", TUPLES_RETUNED),
            "neural TM+LM, class-factored": _bleu("schwenk2010_neural_both", TUPLES_RETUNED),
        },
        note="The lists of the n-gram-based system; neural models are in place of its back-off "
        "ones. TM: a bilingual n-gram model over tuples, LM: of the target; both are 4-grams, "
        "back-off and neural, but for the row that says so. Neural models have short-lists, as the "
        "paper's; the class-factored ones are trained by noise-contrastive estimation. p: against "
        "the back-off models, of these against those not tuned again, and of the latter against "
        "the phrase-based baseline.",
    ),
    "tuning": quantity_table(
        "How the weights are tuned again",
        {
            row: {**_bleu(system, f"{CSLM}_mira"), "BLEU of the tuning set": tuned_score(system)}
            for row, system in {
                "MIRA": f"{CSLM}_mira",
                "derivative-free": f"{CSLM}_derivative_free",
                "MERT": f"{CSLM}_mert",
                "PRO": f"{CSLM}_pro",
            }.items()
        },
        note="All weights are tuned again on the lists of table 1. The paper tunes with CONDOR; "
        "ours without derivatives is a trust-region method, too. p: against MIRA.",
    ),
    "text": quantity_table(
        "In the text: the NIST task, sizes of short-lists and bunches, grouping, decoding",
        {
            "NIST / back-off LM, not tuned again": _bleu(NIST, BASELINE),
            "NIST / back-off LM": {
                "size of the background": size_of_text("texts/schwenk2010_background"),
                **_bleu(f"{NIST}_retuned", NIST),
                "test perplexity": perplexity(f"{NIST}_kn4"),
            },
            **{
                f"NIST / {row}": {
                    **_bleu(system, f"{NIST}_retuned"),
                    "test perplexity": perplexity(system),
                }
                for row, system in NIST_MODELS.items()
            },
            **{
                f"NIST / {row} in place of the back-off LM": _bleu(
                    f"{system}_alone", f"{NIST}_retuned"
                )
                for row, system in NIST_MODELS.items()
            },
            **{row: _short_list(model) for row, model in SHORT_LISTS.items()},
            **{
                f"bunches of {size} words": {"Training speed": training_speed(model)}
                for size, model in BUNCHES.items()
            },
            "requests one by one": {"Rescoring speed": rescoring_speed(CSLM, "apart")},
            **{
                f"equal {way} once": {
                    "Rescoring speed": rescoring_speed(CSLM, way.replace("-", "")),
                    "evaluated": evaluated_share(CSLM, way.replace("-", "")),
                }
                for way in ("n-grams", "contexts")
            },
            "back-off model in the decoder": {"Decoding time": decoding_time(BASELINE)},
            "CSLM in the decoder": {"Decoding time": decoding_time(f"{CSLM}_decoder")},
        },
        pair=ALL_PAIRS,
        note="NIST: the text of the task is the small and important one, another one is the "
        "background, by default manuals of other projects, of which each epoch of the CSLM samples "
        "a part; of the interpolated CSLMs each has one of the texts. p: against the back-off LM, "
        "which is that of both texts; of that one against the one not tuned again, and of the "
        "latter against the reference system. Shares are of "
        "what the network predicts of the words and sentence ends of the test text, and of those "
        "of its 1000-best lists (requests). The CSLM's short-list has 1024 words by default, 2048 "
        "at scale medium, 8192 at full scale; those of the paper have 8192 or 12288, of which it "
        "states one share. "
        "evaluated: what is left of all requests where equal ones are asked for once. Speeds are "
        "those of one thread with nothing else running, the mean of several repetitions; of "
        "rescoring those of 1000-best lists, in bunches of thousands, with the time that grouping "
        "takes.",
    ),
    "models": quantity_table(
        "The models",
        {
            row: {f"{split}, {units}": perplexity(model, split) for split in ("dev", "test")}
            for row, model, units in (
                ("back-off TM", "schwenk2010_tm4", "tuples"),
                ("back-off TM, order 3", "schwenk2010_tm3", "tuples"),
                ("neural TM", "schwenk2010_cstm", "tuples"),
                ("neural TM, class-factored", "schwenk2010_ctm", "tuples"),
                ("back-off LM", "schwenk2010_kn4", "words"),
                ("neural LM", CSLM, "words"),
                ("neural LM, class-factored", "nce", "words"),
            )
        },
        note="Perplexities. The class-factored model of tuples takes those that occur once for "
        "unknown.",
    ),
    "searches": chosen_settings("schwenk2010"),
    "training": training_table("schwenk2010"),
    "test_sets": by_test_set("schwenk2010"),
}

PAPER = Paper(
    title="Schwenk (2010): Continuous-Space Language Models for Statistical Machine Translation",
    about="Feed-forward models with a short-list rescore the 1000-best lists of phrase-based and "
    "n-gram-based systems, as language models and as translation models over bilingual tuples. "
    "The paper's tasks are travellers' phrases and news, that of the default experiment is "
    "software help. The CSLM of table 1 and the models of table 2 are the paper's; beside them are "
    "class-factored ones, trained by noise-contrastive estimation.",
    tables=TABLES,
    pair="it-en",
    figure="table1",
    texts={"": LearntText("train", {"it-en": 3e5})},  # BTEC has 200,000 to 400,000
    pairs=("zh-en", "ja-en", "it-en", "fr-en"),
    settings=Schwenk2010Settings,
)
