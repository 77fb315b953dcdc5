"""Display names of laws and provisions without repetition, and help pages in Spanish."""

import re
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from articulado.language.folding import fold
from articulado.language.translation import translate
from articulado.legal.labels import PART_HEADINGS
from articulado.values.errors import InvalidInput

_MARKS = " .,:;–—-"
_BEFORE_SENTENCE = re.compile(r"(?<=[.;:]) +(?=[A-ZÁÉÍÓÚÑ¿«])")
_LEFT_OUT = "[…]"


def titled(provision: str, title: str) -> str:
    """Return the label of a provision with its title, which may begin with the label, or be it.

    >>> titled("Artículo 38", "Vacaciones anuales"), titled("Artículo 38", "Artículo 38. Vacaciones anuales")
    ('Artículo 38. Vacaciones anuales', 'Artículo 38. Vacaciones anuales')
    >>> titled("Ejemplo", "Ejemplo"), titled("Artículo 3", "Artículo 38"), titled("Pasos", "Pasos previos")
    ('Ejemplo', 'Artículo 3. Artículo 38', 'Pasos. Pasos previos')
    """
    rest = title.strip()
    while rest and _begins(rest, provision):
        rest = rest[len(provision) :].lstrip(_MARKS)
    if not rest or fold(provision).endswith(fold(rest)):
        return provision or rest
    return f"{provision}. {rest}" if provision else rest


def named(law: str, provision: str, title: str = "") -> str:
    """Return a law with one of its provisions; what is named after its law goes by its own name.

    >>> named("Estatuto de los Trabajadores", "Artículo 38", "Vacaciones anuales")
    'Estatuto de los Trabajadores, Artículo 38. Vacaciones anuales'
    >>> named("Convenio del metal", "Convenio del metal")
    'Convenio del metal'
    """
    of_law = titled(provision, title)
    if _begins(of_law, law):
        return of_law
    return ", ".join(filter(None, (law, of_law)))


def placed(breadcrumb: str, key: str, *names: str) -> str:
    """Return where in its law a provision stands, without what its label and the ``names`` above it have said.

    >>> placed("TÍTULO I. De la jornada > Disposiciones adicionales", "da:3", "Ley 1/2020")
    'TÍTULO I. De la jornada'
    """
    said = {fold(name) for name in (*names, PART_HEADINGS.get(key.partition(":")[0], ""))}
    return " > ".join(place for place in breadcrumb.split(" > ") if fold(place) not in said)


def unsaid(summary: str, answer: str) -> str:
    """Return the sentences of a summary that do not stand in an answer; "[…]" stands for those that do.

    >>> unsaid("Son 30 días. Se pactan.", "Son 30 días. [C1]"), unsaid("Son 30 días.", "Son 30 días. [C1]")
    ('[…] Se pactan.', '')
    """
    said = " ".join(answer.split())
    kept: list[str] = []
    for sentence in _BEFORE_SENTENCE.split(" ".join(summary.split())):
        if sentence not in said:
            kept.append(sentence)
        elif kept[-1:] != [_LEFT_OUT]:
            kept.append(_LEFT_OUT)
    return "" if kept == [_LEFT_OUT] else " ".join(kept)


def _begins(text: str, name: str) -> bool:
    """Tell whether a text is a name, or begins with one that a mark ends: "Pasos previos" does not with "Pasos"."""
    rest = text[len(name) :].strip()
    return bool(name) and fold(text).startswith(fold(name)) and (not rest or rest[0] in _MARKS)


class _Spanish:
    """What a page of help has in common for a command and for the group of all: its fixed words in Spanish."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line."""
        pieces = self.collect_usage_pieces(ctx)  # type: ignore[attr-defined]
        formatter.write_usage(ctx.command_path, " ".join(pieces), prefix="Uso: ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        from typer import rich_utils

        rich_utils.ARGUMENTS_PANEL_TITLE = "Argumentos"
        rich_utils.OPTIONS_PANEL_TITLE = "Opciones"
        rich_utils.COMMANDS_PANEL_TITLE = "Órdenes"
        rich_utils.DEFAULT_STRING = "[por defecto: {}]"
        rich_utils.REQUIRED_LONG_STRING = "[obligatorio]"
        for param in self.params:  # type: ignore[attr-defined]
            if isinstance(param, TyperArgument):
                # "<list[str]>" helps nobody who does not write Python.
                param.display_type_rich = _no_type  # type: ignore[method-assign]
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option ``--help``."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        option.help, option.metavar = "Muestra esta ayuda y termina.", ""
        return option


class Command(_Spanish, TyperCommand):
    """A command with its help in Spanish."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "options_metavar": "[OPCIONES]"})


class Commands(_Spanish, TyperGroup):
    """The group of all commands, with its help in Spanish."""

    def __init__(self, *args: Any, **options: Any) -> None:
        names = {"options_metavar": "[OPCIONES]", "subcommand_metavar": "ORDEN [ARGUMENTOS]..."}
        super().__init__(*args, **{**options, **names})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command.

        Raises:
            InvalidInput: there is none of this name.
        """
        if self.get_command(ctx, args[0]) is None:
            raise InvalidInput(
                translate("command.none_such", name=args[0], commands=", ".join(self.list_commands(ctx)))
            )
        return super().resolve_command(ctx, args)


def usage_message(error: typer.TyperException) -> str:
    """Say what Typer says of a command line that it cannot read."""
    parameter, option = getattr(error, "param", None), getattr(error, "option_name", "")
    match type(error).__name__:
        case "NoSuchOption":
            suggestions = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
            key = "command.no_option_but" if suggestions else "command.no_option"
            message = translate(key, option=option, suggestions=suggestions)
        case "BadOptionUsage":
            message = translate("command.option_value", option=option)
        case "MissingParameter":
            message = translate("command.missing", name=_name(parameter))
        case "BadParameter":
            message = translate("command.bad_value", name=_name(parameter), problem=error.message)
        case _:
            # "Got unexpected extra argument(s) (…)"
            message = translate("command.superfluous", part=error.message.rpartition("(")[2].rstrip(")"))
    context = getattr(error, "ctx", None)
    # The path of a command without a name ends in a blank.
    return translate(
        "command.help", message=message, command=context.command_path.rstrip() if context else "articulado"
    )


def _no_type(ctx: Any) -> None:
    """Return the type that a page of help shows of an argument: none."""


def _name(parameter: Any) -> str:
    if parameter is None:
        return translate("command.an_argument")
    long_options = [name for name in parameter.opts if name.startswith("--")]
    return long_options[0] if long_options else str(parameter.metavar or parameter.name)
