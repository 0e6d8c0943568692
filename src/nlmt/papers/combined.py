"""The four papers together: a language model of each on the same n-best lists."""

from nlmt.evaluation.system import AVERAGE
from nlmt.papers.common_tables import by_test_set, training_table
from nlmt.papers.paper import Paper, Table
from nlmt.papers.quantities import Quantity
from nlmt.papers.scores import score
from nlmt.papers.tables import quantity_table

ALL = "combined_all"
# System of each row, and the system that its p compares it with.
ROWS = {
    "5-gram Kneser-Ney": ("combined_baseline", ""),
    "+ Baltescu and Blunsom": ("combined_baltescu", "combined_baseline"),
    "+ Auli et al.": ("combined_auli", "combined_baseline"),
    "+ Luong et al.": ("combined_luong", "combined_baseline"),
    "+ Schwenk": ("combined_schwenk", "combined_baseline"),
    "+ all four": (ALL, "combined_baseline"),
    "+ all but Baltescu and Blunsom": ("combined_without_baltescu", ALL),
    "+ all but Auli et al.": ("combined_without_auli", ALL),
    "+ all but Luong et al.": ("combined_without_luong", ALL),
    "+ all but Schwenk": ("combined_without_schwenk", ALL),
    "Baltescu and Blunsom in the decoder": ("combined_decoder", "combined_baltescu"),
    "the same, + the other three": ("combined_decoder_all", ALL),
}
TEST_SETS = {"test": "", "dev2": "dev2", "average": AVERAGE}


def _scores(system: str, against: str) -> dict[str, Quantity]:
    """BLEU on each test set and on average, and TER on average."""
    scores: dict[str, Quantity] = {
        f"BLEU, {column}": score(system, against=against, test_set=test_set)
        for column, test_set in TEST_SETS.items()
    }
    return {**scores, "TER, average": score(system, "TER", against, AVERAGE)}


TABLES: dict[str, Table] = {
    "combinations": quantity_table(
        "What combining the models of the papers gives",
        {row: _scores(system, against) for row, (system, against) in ROWS.items()},
        note="The class-factored model of Baltescu and Blunsom trained by noise-contrastive "
        "estimation, the Elman network of Auli et al. with a transform of the source, the "
        "self-normalised model of Luong et al. with one layer over a window of the source, and "
        "Schwenk's continuous-space model with a short-list, all on the baseline's 1000-best "
        "lists; in the decoder, scores are not normalised. Weights are tuned again on dev for each "
        "row. p: of a single model and of all four against the 5-gram, of all but one against all "
        "four, of the model in the decoder against the same on lists, and of the last row against "
        "all four on lists.",
    ),
    "training": training_table("combined"),
    "test_sets": by_test_set("combined"),
}

PAPER = Paper(
    title="The four papers combined",
    about="A language model of each paper rescores the same 1000-best lists, alone, together, and "
    "with one of the four left out.",
    tables=TABLES,
    pair="fr-en",
    pairs=("fr-en",),
)
