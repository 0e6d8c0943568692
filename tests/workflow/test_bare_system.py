"""The set-up's list of system packages is complete: all that is compiled, on a bare Debian 13."""

import re
from pathlib import Path

import pytest

from tests.acceptance.test_fresh import named_packages
from tests.chroot import USER, Chroot, reason_against

ROOT = Path(__file__).parents[2]
REASON = reason_against()
IMPORTS = "import kenlm, nlmt.decoder, nlmt.io.nbest, nlmt.tuning; print('all', 'there')"


@pytest.mark.skipif(bool(REASON), reason=REASON)
def test_the_packages_that_the_first_message_names_suffice(tmp_path: Path) -> None:
    system = Chroot.make("trixie", tmp_path / "trixie")
    try:
        install = "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends"
        system.run(f"apt-get update && {install} {named_packages()}")
        system.check_out(ROOT, user=USER)
        refused = system.run("cd nlmt && make compiled", user=USER, check=False)
        assert refused.returncode != 0
        assert "Traceback" not in refused.stdout
        (command,) = re.findall("install it as root: (.+)", refused.stdout)
        system.run(command.replace(" install ", " install --yes "))
        system.run("cd nlmt && make compiled", user=USER)
        output = system.run(f'cd nlmt && .venv/bin/python -c "{IMPORTS}"', user=USER).stdout
        assert "all there" in output
    finally:
        system.remove()
