"""docs/commands.md: every command and option, from the parsers."""

import re

from nlmt.cli.commands import COMMANDS
from nlmt.cli.commands_page import commands_page
from nlmt.cli.parser import all_parsers, commands_below, shown_options


def test_every_command_and_option_is_there() -> None:
    page = commands_page()
    headings = re.findall("^#+ (.*)", page, re.M)
    for name, parsers in all_parsers():
        assert f"nlmt {name}" in headings
        for parser in parsers.values():
            for below, inner in {"": parser, **commands_below(parser)}.items():
                assert f"nlmt {name} {below}".strip() in headings
                for action in inner._actions:
                    if action.help != "==SUPPRESS==" and "--help" not in action.option_strings:
                        assert all(f"{o}" in page for o in shown_options(action))
    assert [h for h in headings if h.count(" ") == 1] == [f"nlmt {name}" for name in COMMANDS]


def test_texts_are_no_markup() -> None:
    """`</s>` outside of code would be an HTML tag, `run*/` the begin of an emphasis."""
    page = re.sub("```.*?```", "", commands_page(), flags=re.S)
    page = re.sub("`[^`]*`", "", page)
    assert "<" not in page
    assert not re.search(r"(?<!\\)\*", page)
