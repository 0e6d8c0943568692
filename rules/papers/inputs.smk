"""Inputs of the papers' tables, claims and pages."""

from dataclasses import replace

from nlmt.papers.overview import overview_entries
from nlmt.papers.provenance import part_of
from nlmt.papers.sizes import SIZES
from nlmt.papers.tables import SHOWN
from nlmt.settings import to_plain

PUBLISHED = PROJECT / "config/papers"  # values and claims of the papers


wildcard_constraints:
    table="|".join(
        sorted({name for key in PAPERS.names() for name in PAPERS.get(key).tables})
    ),


def timed_sentences(system):
    """Number of test sentences for measuring a system's time; None: all of them.

    Beside the times of searches stands that of all sentences that are searched.
    """
    searched = EXPERIMENT.paper("auli2013").search
    if searched in SYSTEMS.names() and system == SYSTEMS[searched].decoded_by:
        return None
    return EXPERIMENT.paper("baltescu2015").timed_sentences


def of_pair(paper, pair, path):
    """A path below the folder of a pair of a paper's task, unless it does not depend on a pair."""
    if path.startswith("results/"):
        return path
    return f"results/{EXPERIMENT.paper_task(paper)}/{pair}/{path}"


def table_parts(wildcards):
    """The inputs of a table, pair by pair."""
    table = PAPERS.get(wildcards.paper).tables[wildcards.table]
    settings = EXPERIMENT.paper(wildcards.paper)
    parts = [
        table.needs(EXPERIMENT, settings, pair)
        for pair in EXPERIMENT.paper_pairs(wildcards.paper)
    ]
    return [
        replace(
            part,
            files={
                name: [of_pair(wildcards.paper, part.pair, path) for path in paths]
                for name, paths in part.files.items()
            },
        )
        for part in parts
    ]


def published(wildcards, name):
    """A file of a paper's published values or claims, if there is one."""
    path = PUBLISHED / wildcards.paper / name
    return given([path] if path.exists() else [])


def results_of(key):
    """All tables of a paper, with the verdicts on its claims."""
    names = list(PAPERS.get(key).tables)
    if (PUBLISHED / key / "claims.yaml").exists():
        names += ["claims", "comparisons"]
    return [f"results/papers/{key}/{name}.tsv" for name in names]


def figures_of(key):
    """The figures of a paper."""
    return [
        f"results/papers/{key}/{name}.svg"
        for name, table in PAPERS.get(key).tables.items()
        if table.draw is not None
    ]


def changes_of(key):
    """Files of the sentences that each system of a paper's tables changed most, pair by pair."""
    return [
        of_pair(key, pair, f"report/side-by-side/{part}.json")
        for pair in EXPERIMENT.paper_pairs(key)
        for part in shown_parts(key)
        if part in SYSTEMS.names() and SYSTEMS[part].baseline != part
    ]


def configuration_of(key):
    """The entries of the configuration that belong to a paper."""
    models, systems = EXPERIMENT.paper_models(key), EXPERIMENT.paper_systems(key)
    return {
        "papers": {key: EXPERIMENT.paper(key).model_dump(mode="json")},
        "language_models": {name: MODELS[name].parameters for name in models},
        "systems": {name: to_plain(SYSTEMS[name].settings) for name in systems},
    }


def shown_in(key, table, pair):
    """The systems and models that a table of a paper shows on a pair."""
    return table.needs(EXPERIMENT, EXPERIMENT.paper(key), pair).facts.get(SHOWN, ())


def shown_parts(key):
    """The systems and models of a paper's tables, by name."""
    names = [
        name
        for table in PAPERS.get(key).tables.values()
        for pair in EXPERIMENT.paper_pairs(key)
        for name in shown_in(key, table, pair)
    ]
    return list(dict.fromkeys(names))


def networks_in(names):
    """The neural models of all runs among models and their component models."""
    return [model.id for name in MODELS.neural(names) for model in MODELS.of_runs(name)]


def networks_of(key):
    """The neural models of each system and model that a paper's tables show, pair by pair."""
    networks = {}
    for pair in EXPERIMENT.paper_pairs(key):
        parts = {
            part
            for table in PAPERS.get(key).tables.values()
            for part in shown_in(key, table, pair)
        }
        networks[pair] = {
            part: networks_in(
                SYSTEMS.models_of([part]) if part in SYSTEMS.names() else [part]
            )
            for part in sorted(parts)
            if part in SYSTEMS.names() or part in MODELS.names()
        }
    return networks


def parts_of(key):
    """The configuration of the systems and models of a paper's tables, by name."""
    parts = [part_of(EXPERIMENT, name) for name in shown_parts(key)]
    return {part.name: asdict(part) for part in parts if part is not None}


def all_systems():
    """The systems of all papers, pair by pair."""
    return [
        entry
        for key in PAPERS.names()
        for pair in EXPERIMENT.paper_pairs(key)
        for entry in overview_entries(EXPERIMENT, key, pair)
    ]
