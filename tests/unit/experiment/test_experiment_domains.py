"""config/domains.yaml: further test sets for the default experiment."""

from pathlib import Path

import pytest

from nlmt.cli.config import default_files, read_files
from nlmt.experiment import Experiment
from nlmt.experiment.papers import paper_of

ROOT = Path(__file__).parents[3]


@pytest.fixture
def domains(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    monkeypatch.chdir(ROOT)
    return Experiment.read(*read_files([*default_files(), Path("config/domains.yaml")]))


def test_each_domain_has_the_languages_of_its_pairs(domains: Experiment) -> None:
    config = domains.config
    own = {
        name: config.corpora[held_out.corpus]
        for name, held_out in config.held_out.items()
        if paper_of(name) is None
    }
    assert len(own) == 5
    for name, corpus in own.items():
        # Whatever every system is tested on is there for the pairs of all papers.
        others = ("zh-en", "ja-en", "it-en") if name in config.test_sets else ()
        for pair in (*config.pairs, *others):
            assert set(pair.split("-")) <= set(corpus.languages), (name, pair)


def test_systems_of_papers_are_tested_on_the_domains(domains: Experiment) -> None:
    wanted = set(domains.config.test_sets)
    assert wanted == {"test", "gimp", "gnome", "installation", "handbook"}
    for name in (
        "baseline",
        "baltescu2015_class_kn5",
        "auli2013_transform",
        "auli2013_rnn_all",
        "luong2015_4layer",
        "schwenk2010_tuples_cslm",
        "combined_all",
    ):
        assert wanted <= set(domains.systems.test_sets(name)), name
    assert domains.systems.test_sets("auli2013_rnn_without_ef") == ["test"]
