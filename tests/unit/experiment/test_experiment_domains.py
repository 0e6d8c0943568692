"""config/domains.yaml: further test sets for the default experiment."""

from pathlib import Path

import pytest

from nlmt.cli.config import default_files, read_files
from nlmt.experiment import Experiment
from nlmt.experiment.papers import paper_of

ROOT = Path(__file__).parents[3]


def test_each_domain_has_the_languages_of_the_default_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    experiment = Experiment.read(*read_files([*default_files(), Path("config/domains.yaml")]))
    config = experiment.config
    corpora = {
        name: config.corpora[held_out.corpus]
        for name, held_out in config.held_out.items()
        if paper_of(name) is None
    }
    assert config.test_sets == ("test", *corpora)
    assert len(corpora) == 5
    for pair in config.pairs:
        for name, corpus in corpora.items():
            assert set(pair.split("-")) <= set(corpus.languages), (name, pair)
