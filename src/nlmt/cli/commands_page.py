"""docs/commands.md, generated from the parsers of all commands."""

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby

from nlmt.cli.commands import COMMANDS
from nlmt.cli.parser import all_parsers, commands_below, shown_options

HEAD = """\
# Commands

Every command and option of `nlmt`; `nlmt COMMAND --help` prints the same. In every command `-` as a
file is standard input or output, and pipes are read like files. This page is generated from the
parsers by `nlmt config generate`.

| command | purpose |
| --- | --- |
"""
TABLE = "| {heading} | |\n| --- | --- |"
CODE = re.compile("(`[^`]*`)")
KEY = re.compile(r" *\w+( = .*)?  \[.*\]")  # as `nlmt.settings_texts.help_text` begins


def commands_page() -> str:
    """The text of docs/commands.md."""
    rows = "".join(
        f"| [`nlmt {name}`](#nlmt-{name}) | {_prose(purpose, cell=True)} |\n"
        for name, (_, purpose) in COMMANDS.items()
    )
    sections = [
        section
        for name, parsers in all_parsers()
        for option, parser in parsers.items()
        for section in _section(f"nlmt {name} {option}".rstrip(), parser)
    ]
    return "\n".join([HEAD + rows, *sections])


def _section(title: str, parser: argparse.ArgumentParser, level: int = 2) -> Iterator[str]:
    """The section of a parser, and the sections of its subcommands."""
    parts = [f"{'#' * level} {title}", *_blocks(parser.description)]
    parts += [
        _table(group.title or "options", group._group_actions, parser)
        for group in parser._action_groups
        if any(_is_shown(action) for action in group._group_actions)
    ]
    parts += _alternatives(parser)
    parts += _blocks(parser.epilog)
    yield "\n\n".join(parts) + "\n"
    for name, below in commands_below(parser).items():
        yield from _section(f"{title} {name}", below, level + 1)


def _is_shown(action: argparse.Action) -> bool:
    return action.help != argparse.SUPPRESS and not isinstance(
        action, argparse._HelpAction | argparse._SubParsersAction
    )


def _table(title: str, actions: Iterable[argparse.Action], parser: argparse.ArgumentParser) -> str:
    """A table with a row for each argument: its syntax, and its meaning."""
    formatter = parser._get_formatter()
    rows = []
    for action in filter(_is_shown, actions):
        names = shown_options(action)
        if names:
            values = formatter._format_args(action, action.dest.upper())
            written = f"{', '.join(names)} {'' if action.nargs in (0, '?') else values}".strip()
        else:
            written = formatter._format_args(action, action.dest)
        what = formatter._expand_help(action) if action.help else ""
        if action.required and names:
            what = f"{what} (required)".strip()
        rows.append(f"| `{_cell(written)}` | {_prose(what, cell=True)} |")
    return "\n".join([TABLE.format(heading=title), *rows])


def _alternatives(parser: argparse.ArgumentParser) -> Iterator[str]:
    """A line for each group of mutually exclusive options."""
    for group in parser._mutually_exclusive_groups:
        names = [f"`{shown_options(action)[0]}`" for action in group._group_actions]
        yield f"{'One of' if group.required else 'At most one of'} {', '.join(names)}."


def _blocks(text: str | None) -> Iterator[str]:
    """The paragraphs of a help text, with indented ones as code."""
    code: list[str] = []
    for block in re.split(r"\n\s*\n", (text or "").strip("\n")):
        runs = groupby(block.splitlines(), key=lambda line: line.startswith(" "))
        for number, (indented, lines) in enumerate(runs):
            if indented:
                code += [*([""] if code and not number else []), *lines]
                continue
            if code:
                yield _fence(code)
                code = []
            yield _prose("\n".join(lines))
    if code:
        yield _fence(code)


def _fence(lines: list[str]) -> str:
    """Indented lines as code, or a link to the page of configuration keys."""
    if KEY.fullmatch(lines[0]):
        return "The keys are described in [configuration.md](configuration.md)."
    return f"```text\n{textwrap.dedent(chr(10).join(lines))}\n```"


def _prose(text: str, *, cell: bool = False) -> str:
    """The text with Markdown escaped, except for code and names of pages."""
    parts = CODE.split(text)
    parts[::2] = [re.sub(r"([*_\[\]])", r"\\\1", one).replace("<", "&lt;") for one in parts[::2]]
    joined = re.sub(r"docs/([a-z-]+\.md)", r"[\1](\1)", "".join(parts))
    return _cell(joined) if cell else joined


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
