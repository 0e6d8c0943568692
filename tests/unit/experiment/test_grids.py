"""Grids of models, and the systems that use them."""

from typing import Any

import pytest

from nlmt.errors import InputError
from nlmt.experiment.grids import GridExpansion

GRID = {"dim": [10, 20], "hidden": [[], [5, 6]]}
SYSTEMS: dict[str, Any] = {
    "baseline": {"label": "5-gram", "language_models": ["kn5"]},
    "nlm": {"label": "+ neural", "decoded_by": "baseline", "rescored_with": ["nce"]},
    "inside": {"language_models": ["kn5", {"name": "nce", "scores": "unnormalised"}]},
    "again": {"label": "twice", "decoded_by": "inside", "rescored_with": ["kn5"]},
    "beside": {"label": "b", "rescored_with": ["gru", "nce"], "compared_with": ["nlm", "baseline"]},
}


def values(**models: Any) -> dict[str, Any]:
    return {"seed": 1, "language_models": {"kn5": {"kind": "ngram"}, **models}, "systems": SYSTEMS}


def test_a_model_for_each_combination_in_the_place_of_its_values() -> None:
    nce = {"kind": "neural", "dim": 200, "epochs": 3, "grid": GRID}
    expanded = GridExpansion(values(nce=nce)).values()
    assert expanded["seed"] == 1
    assert expanded["language_models"] == {
        "kn5": {"kind": "ngram"},
        "nce-dim10-hidden": {"kind": "neural", "dim": 10, "epochs": 3, "hidden": []},
        "nce-dim10-hidden5x6": {"kind": "neural", "dim": 10, "epochs": 3, "hidden": [5, 6]},
        "nce-dim20-hidden": {"kind": "neural", "dim": 20, "epochs": 3, "hidden": []},
        "nce-dim20-hidden5x6": {"kind": "neural", "dim": 20, "epochs": 3, "hidden": [5, 6]},
    }


def test_a_system_for_each_model_and_for_each_of_another_system() -> None:
    expansion = GridExpansion(values(nce={"grid": {"dim": [10, 20]}}, gru={}))
    systems = expansion.values()["systems"]
    assert list(systems) == [
        *("baseline", "nlm-dim10", "nlm-dim20", "inside-dim10", "inside-dim20"),
        *("again-dim10", "again-dim20", "beside-dim10", "beside-dim20"),
    ]
    assert systems["baseline"] == SYSTEMS["baseline"]
    assert systems["nlm-dim20"] == {
        "label": "+ neural, dim 20",
        "decoded_by": "baseline",
        "rescored_with": ["nce-dim20"],
    }
    assert systems["inside-dim10"]["language_models"] == [
        "kn5",
        {"name": "nce-dim10", "scores": "unnormalised"},
    ]
    assert systems["again-dim20"]["decoded_by"] == "inside-dim20"
    assert systems["beside-dim10"]["compared_with"] == ["nlm-dim10", "baseline"]
    (grid,) = expansion.grids
    assert [(point.model, point.label) for point in grid.points] == [
        ("nce-dim10", "dim 10"),
        ("nce-dim20", "dim 20"),
    ]
    assert grid.systems["again"] == ["again-dim10", "again-dim20"]


def test_two_grids_are_combined_where_a_system_uses_both() -> None:
    both = values(nce={"grid": {"dim": [10, 20]}}, gru={"grid": {"dim": [3]}})
    expansion = GridExpansion(both)
    systems = expansion.values()["systems"]
    assert [name for name in systems if name.startswith("beside")] == [
        "beside-dim10-dim3",
        "beside-dim20-dim3",
    ]
    assert systems["beside-dim20-dim3"]["rescored_with"] == ["gru-dim3", "nce-dim20"]
    assert systems["beside-dim20-dim3"]["compared_with"] == ["nlm-dim20", "baseline"]
    assert [list(grid.systems) for grid in expansion.grids] == [["nlm", "inside", "again"], []]


def test_papers_keep_their_models_and_the_systems_that_theirs_name() -> None:
    given = values(nce={"kind": "neural", "grid": {"dim": [10, 20]}})
    one = {"label": "one", "decoded_by": "inside", "rescored_with": ["nce"]}
    given["systems"] = SYSTEMS | {"luong2015_one": one}
    expansion = GridExpansion(given, ["luong2015"])
    expanded = expansion.values()
    assert list(expanded["language_models"]) == ["kn5", "nce-dim10", "nce-dim20", "nce"]
    assert expanded["language_models"]["nce"] == {"kind": "neural"}
    systems = expanded["systems"]
    assert [name for name in systems if name.startswith(("nlm", "inside", "luong2015"))] == [
        *("nlm-dim10", "nlm-dim20", "inside", "inside-dim10", "inside-dim20", "luong2015_one")
    ]
    assert (systems["luong2015_one"], systems["inside"]) == (one, SYSTEMS["inside"])
    (grid,) = expansion.grids
    assert list(grid.systems) == ["nlm", "inside", "again", "beside"]


def test_messages_have_the_keys_of_the_file() -> None:
    expansion = GridExpansion(values(nce={"grid": {"dim": [1, 10]}}))
    for key, written in {
        "language_models.nce-dim10.dim": "language_models.nce.grid.dim",
        "language_models.nce-dim1.epochs: 0": "language_models.nce.epochs: 0",
        "language_models.nce-dim10: no": "language_models.nce: no",
        "language_models.kn5.order": "language_models.kn5.order",
    }.items():
        assert expansion.as_written(key) == written


def test_names_that_are_taken() -> None:
    taken = values(nce={"grid": {"dim": [1]}}, **{"nce-dim1": {}})
    with pytest.raises(InputError, match="nce-dim1: a point of a grid has the same name"):
        GridExpansion(taken).values()


@pytest.mark.parametrize("grid", [{}, [1], {"dim": []}, {"dim": 1}, 3])
def test_what_is_no_grid_is_left_to_the_check_of_the_configuration(grid: Any) -> None:
    given = values(nce={"grid": grid})
    assert GridExpansion(given).values() == given


@pytest.mark.parametrize("entry", [None, [1], {"rescored_with": 3}, {"language_models": [[1]]}])
def test_so_are_systems_of_another_form(entry: Any) -> None:
    given = values(nce={"grid": {"dim": [1]}})
    given["systems"] = {"odd": entry}
    assert GridExpansion(given).values()["systems"] == {"odd": entry}
