"""The table in every paper of each system's score on each test set."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.results import result_row
from nlmt.papers.scores import score
from nlmt.papers.tables import SHOWN, pair_table

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

SYSTEMS = "systems"  # among the facts: row and test sets of each system


def by_test_set(paper: str) -> Table:
    """BLEU of all systems of a paper, with a row per system and a column per test set.

    The set on which a system's rescoring weights were tuned is left out, as its score is not
    comparable.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        systems = experiment.systems
        own = experiment.paper_systems(paper)
        names = list(dict.fromkeys([*(systems[name].baseline for name in own), *own]))
        labels = Counter(systems[name].settings.label for name in names)
        facts = {}
        for name in names:
            label = systems[name].settings.label
            tuned_on = systems[name].tuning_set if systems[name].rescores else None
            facts[name] = {
                "row": label if labels[label] == 1 else f"{label}, {name}",
                "test_sets": [one for one in systems[name].test_sets if one != tuned_on],
            }
        files = {name: [f"eval/{name}.json"] for name in names}
        return PairFiles(pair, files, {SHOWN: names, SYSTEMS: facts})

    return pair_table(
        "Each test set by itself",
        needs,
        _rows,
        note="All systems, BLEU. With --configfile config/domains.yaml they are tested on the "
        "documentation of other projects, too. p: against the baseline of each.",
    )


def _rows(part: PairFiles) -> Iterator[dict[str, Any]]:
    """The cells of one pair."""
    for name, facts in part.facts[SYSTEMS].items():
        paths = [Path(path) for path in part.files[name]]
        for test_set in facts["test_sets"]:
            bleu = score(name, test_set=test_set)
            yield result_row(part.pair, facts["row"], test_set, bleu.unit, name, bleu.read(paths))
