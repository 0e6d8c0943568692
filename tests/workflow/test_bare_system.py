"""The set-up's list of system packages is complete: it compiles on a bare Debian 13.

Of nlmt's modules one package is compiled, as all link the same libraries; `make acceptance-fresh`
compiles them all.
"""

import re
from pathlib import Path

import pytest

from tests.acceptance.test_fresh import named_packages
from tests.chroot import USER, Chroot, reason_against

ROOT = Path(__file__).parents[2]
REASON = reason_against()
COMPILE = "cd nlmt && SKBUILD_CMAKE_DEFINE=NLMT_PACKAGES=io make compiled"
IMPORTS = "import kenlm, nlmt.io.nbest; print('all', 'there')"


@pytest.mark.skipif(bool(REASON), reason=REASON)
def test_the_packages_that_the_first_message_names_suffice(tmp_path: Path) -> None:
    system = Chroot.make("trixie", tmp_path / "trixie")
    try:
        install = "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends"
        system.run(f"apt-get update && {install} {named_packages()}")
        system.check_out(ROOT, user=USER)
        refused = system.run(COMPILE, user=USER, check=False)
        assert refused.returncode != 0
        assert "Traceback" not in refused.stdout
        (command,) = re.findall("install it as root: (.+)", refused.stdout)
        system.run(command.replace(" install ", " install --yes "))
        system.run(COMPILE, user=USER)
        output = system.run(f'cd nlmt && .venv/bin/python -c "{IMPORTS}"', user=USER).stdout
        assert "all there" in output
    finally:
        system.remove()
