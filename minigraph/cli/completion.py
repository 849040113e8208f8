"""Completion of the command in bash, zsh and fish: scripts that are generated from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from minigraph.npu import CHIPS, HOSTS
from passes import PASSES, PIPELINES, RULES

SHELLS = ("bash", "zsh", "fish")
VALUES = {  # by the name of an argument: the values that its parser does not list
    "chip": sorted(CHIPS), "chips": ["all", *sorted(CHIPS)], "host": sorted(HOSTS),
    "pipeline": sorted({*PIPELINES, *PASSES}), "pipelines": sorted(PIPELINES), "only_pass": sorted(PASSES),
    "rules": sorted(RULES), "words": ["check", "hint", "answer", "open"],
}  # fmt: skip
BASH = """\
# bash: eval "$(minigraph --completion bash)"
_minigraph() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} option= words= i
    if [[ $COMP_CWORD -eq 1 || $command == -* ]]; then command=; fi
    for ((i = COMP_CWORD - 1; i > 0; i--)); do
        if [[ ${{COMP_WORDS[i]}} == -* ]]; then option=${{COMP_WORDS[i]}}; break; fi
    done
    if [ $((COMP_CWORD - i)) -gt 1 ]; then
        case "$command $option" in {many}) ;; *) option= ;; esac
    fi
    if [[ $word == -* ]]; then option=-; fi
    case "$command $option" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _minigraph minigraph
"""
ZSH = """\
# zsh: eval "$(minigraph --completion zsh)"
autoload -Uz compinit bashcompinit && compinit && bashcompinit
"""
FISH = "# fish: minigraph --completion fish | source\n"


class Argument(NamedTuple):
    """An argument of a command: its flags (none if positional), its values, and how many it takes."""

    flags: Sequence[str]
    values: Sequence[str]
    takes_value: bool
    takes_many: bool
    help: str


class PrintCompletion(argparse.Action):
    """The option ``--completion SHELL``: prints the script and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *arguments: Any, **keywords: Any) -> None:
        """Print the script for the shell that the option names."""
        print(completion_script(parser, arguments[1]), end="")
        parser.exit()


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that makes ``shell`` (bash, zsh, fish) complete a parser's commands, options and their values."""
    commands = {"": parser, **_commands_of(parser)}
    if shell == "fish":
        return FISH + "".join(line for name, command in commands.items() for line in _fish_lines(name, command))
    return (ZSH if shell == "zsh" else "") + _bash_script(commands)


def _commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    subparsers = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: command for action in subparsers for name, command in action.choices.items()}


def _arguments_of(parser: argparse.ArgumentParser) -> Iterator[Argument]:
    for action in parser._actions:
        values = VALUES.get(action.dest, [str(choice) for choice in action.choices or ()])
        many = action.nargs in ("+", "*")
        yield Argument(action.option_strings, values, action.nargs != 0, many, (action.help or "") % vars(action))


def _bash_script(commands: dict[str, argparse.ArgumentParser]) -> str:
    cases, many = [], ['"-"']
    for name, command in commands.items():
        arguments = list(_arguments_of(command))
        flags = [flag for argument in arguments for flag in argument.flags]
        cases.append(f'"{name} -") words="{" ".join(flags)}" ;;')
        for argument in arguments:
            labels = [f'"{name} {flag}"' for flag in argument.flags if argument.takes_value]
            many += labels if argument.takes_many else []
            cases += [f'{"|".join(labels)}) words="{" ".join(argument.values)}" ;;'] if labels else []
        positional = [value for argument in arguments if not argument.flags for value in argument.values]
        cases.append(f'"{name} "*) words="{" ".join(positional)}" ;;')
    return BASH.format(many="|".join(many), cases="\n".join(f"    {case}" for case in cases))


def _fish_lines(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    where = f"__fish_seen_subcommand_from {name}" if name else "__fish_use_subcommand"
    for argument in _arguments_of(command):
        flags = "".join(f" {'-l' if flag.startswith('--') else '-s'} {flag.lstrip('-')}" for flag in argument.flags)
        value = (
            f" -xa '{' '.join(argument.values)}'" if argument.values else " -r" * (argument.takes_value and bool(flags))
        )
        if flags or value:
            about = argument.help.replace("\\", "\\\\").replace("'", "\\'")
            yield f"complete -c minigraph -n '{where}'{flags}{value} -d '{about}'\n"
