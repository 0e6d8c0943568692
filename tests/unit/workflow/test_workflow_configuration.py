"""Files like those of the default configuration in a folder in which the workflow runs."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.workflow.configuration import check_no_other_defaults


def test_a_second_default_configuration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, here = tmp_path / "project", tmp_path / "here"
    for folder in (project, here):
        folder.mkdir()
        (folder / "config.yaml").write_text("task: help\n")
    monkeypatch.chdir(here)
    check_no_other_defaults(project, [])  # a copy
    (here / "config.yaml").write_text("task: mine\n")
    check_no_other_defaults(project, [Path("config.yaml")])  # laid over the default one
    with pytest.raises(InputError, match=r"config\.yaml: not read: .*/project/config\.yaml"):
        check_no_other_defaults(project, [])
