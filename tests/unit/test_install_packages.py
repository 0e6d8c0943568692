"""What the set-up tells uv of pip's configuration."""

from tools.install_packages import pip_settings, uv_options

LISTING = """\
:env:.find-links='/wheels'
:env:.default-timeout='60'
freeze.find-links='/other'
global.extra-index-url='https://one.example/simple\\nhttps://two.example/simple'
global.find-links='/overruled'
install.index-url='https://main.example/simple'
"""


def test_settings_of_pip_are_those_of_its_installer() -> None:
    assert pip_settings(LISTING) == {
        "find-links": "/wheels",
        "default-timeout": "60",
        "extra-index-url": "https://one.example/simple\nhttps://two.example/simple",
        "index-url": "https://main.example/simple",
    }
    assert pip_settings("") == {}


def test_uv_asks_the_same_places() -> None:
    assert list(uv_options(pip_settings(LISTING))) == [
        *("--index-strategy", "unsafe-best-match"),
        *("--default-index", "https://main.example/simple"),
        *("--index", "https://one.example/simple"),
        *("--index", "https://two.example/simple"),
        *("--find-links", "/wheels"),
    ]
