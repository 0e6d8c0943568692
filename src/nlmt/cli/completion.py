"""`nlmt completion`: a script that completes commands, options and their values in a shell."""

import argparse
from collections.abc import Iterator

from nlmt.cli.commands import COMMANDS
from nlmt.cli.files import OUT, STANDARD
from nlmt.cli.parser import Options, Parser, all_parsers, commands_below, shown_options
from nlmt.io.files import write_text

DESCRIPTION = """\
Prints a script for a shell, made from the arguments of all commands: completion starts no Python.
Make it again after an update.
"""
EPILOG = """\
bash, for all later shells:
  mkdir -p ~/.local/share/bash-completion/completions
  nlmt completion bash --out ~/.local/share/bash-completion/completions/nlmt
bash, for this shell:
  source <(nlmt completion bash)
zsh, in ~/.zshrc:
  source <(nlmt completion zsh)
"""
_SCRIPT = """\
# Completion of nlmt {version} for bash and, by bashcompinit, for zsh; from `nlmt completion`.
if [[ -n ${{ZSH_VERSION-}} ]]; then
    autoload -Uz compinit bashcompinit
    whence compdef > /dev/null || compinit
    bashcompinit
fi
_nlmt() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local path="" i words="" values=""
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${{COMP_WORDS[i]}}" in
            {commands}) path="$path ${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path $before" in
{values}
    esac
    case "$path" in
{words}
    esac
    COMPREPLY=()
    if [[ -n $values ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [[ $word == -* || -n ${{words##-*}} ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    fi
    if [[ -z $values && $word != -* && ${{#COMPREPLY[@]}} == 0 ]]; then
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _nlmt nlmt
"""


def run(options: Options) -> None:
    """Write the script."""
    write_text(options.out, script())


def script() -> str:
    """The script, which bash and zsh read."""
    from nlmt import __version__

    paths = {"": (*COMMANDS, "--help", "--version")}
    values: dict[str, tuple[str, ...]] = {}
    for name, parsers in all_parsers():
        for one in parsers.values():
            for path, words in _words(one, f" {name}"):
                paths[path] = tuple(dict.fromkeys((*paths.get(path, ()), *words)))
            values |= _values(one, f" {name}")
    inner = [path for path in paths if path]
    return _SCRIPT.format(
        version=__version__,
        commands="|".join(f'"{path}"' for path in inner),
        values="\n".join(
            f'        "{path}") values="{" ".join(words)}" ;;' for path, words in values.items()
        ),
        words="\n".join(
            f'        "{path}") words="{" ".join(words)}" ;;' for path, words in paths.items()
        ),
    )


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt completion", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("shell", choices=("bash", "zsh"), help="both read the same script")
    what = "the script (default: standard output)"
    parser.add_argument("--out", type=OUT, default=STANDARD, help=what)
    return parser


def _words(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Possible words after each command: subcommands, positional choices, options."""
    below = commands_below(parser)
    words = [*below]
    # Options last: the script takes a list that begins with one for a list of options alone.
    for action in sorted(parser._actions, key=lambda one: bool(one.option_strings)):
        if action.help == argparse.SUPPRESS and "-h" not in action.option_strings:
            continue
        if not action.option_strings and action.choices and not below:
            words += [str(choice) for choice in action.choices]
        words += shown_options(action)
    yield path, tuple(words)
    for name, one in below.items():
        yield from _words(one, f"{path} {name}")


def _values(parser: argparse.ArgumentParser, path: str) -> dict[str, tuple[str, ...]]:
    """The values that each option may have, by path and option."""
    found: dict[str, tuple[str, ...]] = {}
    for action in parser._actions:
        if action.choices and action.option_strings:
            for option in action.option_strings:
                found[f"{path} {option}"] = tuple(map(str, action.choices))
    for name, one in commands_below(parser).items():
        found |= _values(one, f"{path} {name}")
    return found
