"""Shared command-line options, and their conversion into settings and run context."""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from state.context import RunContext

MAX_STDIN_CHARACTERS = 1_000_000


def a_date(value: str) -> date:
    """Read a date as AAAA-MM-DD or in words ("3 de marzo de 2020", "ayer"), or raise ``InvalidInput``."""
    from articulado.legal.dates.forms import read_day

    day = read_day(value, date.today())
    if day is None:
        raise InvalidInput(translate("command.no_date", value=value))
    return day


def whole(option: str, minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a parser of whole numbers in [minimum, maximum]; others raise ``InvalidInput``."""

    def read(value: str | int) -> int:
        digits = str(value)
        if not (digits.isascii() and digits.isdigit() and minimum <= int(digits[:9]) <= maximum):
            raise InvalidInput(
                translate("command.out_of_range", option=option, minimum=minimum, maximum=maximum, value=value)
            )
        return int(digits)

    return read


EXAMPLE = "¿Cuánto se cobra de baja y desde qué día?"

Question = Annotated[
    list[str], typer.Argument(metavar="PREGUNTA", help=f"La pregunta, como «{EXAMPLE}»; «-» la lee de la entrada.")
]
IndexFolder = Annotated[
    Path | None,
    typer.Option("--index", metavar="CARPETA", help="Carpeta del índice. Sin ella, el propio del usuario."),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="PERFIL", help="Perfil de conocimiento: su nombre (laboral, plan_401k) o su fichero .toml."
    ),
]
AsOf = Annotated[
    date | None,
    typer.Option(
        "--as-of", "--date", metavar="FECHA", parser=a_date, help="Derecho vigente en esa fecha (AAAA-MM-DD)."
    ),
]
Territory = Annotated[
    str | None, typer.Option("--territory", metavar="LUGAR", help="Comunidad autónoma o ciudad, por ejemplo Madrid.")
]
Collections = Annotated[
    str | None,
    typer.Option("--collections", metavar="NOMBRES", help="Colecciones, separadas por comas: normativa,sentencias."),
]
Rerank = Annotated[
    str | None,
    typer.Option(
        "--rerank",
        metavar="MODO",
        help="Reordenación de resultados: auto, none, learnt, heuristic, cross_encoder, llm o api.",
    ),
]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Escribe un único objeto JSON.")]


def read_question(words: list[str]) -> str:
    """Return the question from the command line, or from stdin for ``-``."""
    try:
        question = sys.stdin.read(MAX_STDIN_CHARACTERS) if words == ["-"] else " ".join(words)
        question.encode()
    except UnicodeError as error:
        raise InvalidInput(translate("command.question_not_utf8")) from error
    return question


def read_settings(index: Path | None, profile: str | None = None) -> "Settings":
    from articulado.config.settings import Settings

    return Settings.read(index=index, profile=profile)


def read_configuration(index: Path | None, profile: str | None = None) -> "tuple[Settings, KnowledgeProfile]":
    from articulado.config.profile import load_profile

    settings = read_settings(index, profile)
    return settings, load_profile(settings.profile)


def run_context(
    profile: "KnowledgeProfile", as_of: date | None, territory: str | None, collections: str | None, rerank: str | None
) -> "RunContext":
    """Return the run context of these options, or raise ``InvalidInput`` for an unknown value."""
    from articulado.legal.territory.mentions import place_called
    from articulado.values.answers import RerankStrategy
    from state.context import RunContext

    strategies = get_args(RerankStrategy)
    if rerank is not None and rerank not in strategies:
        raise InvalidInput(translate("command.unknown_strategy", strategy=rerank, strategies=", ".join(strategies)))
    names = [name.strip() for name in collections.split(",") if name.strip()] if collections is not None else None
    available = profile.names
    if names is not None and (not names or not set(names) <= set(available)):
        raise InvalidInput(
            translate("command.unknown_collections", collections=collections, available=", ".join(available))
        )
    place = place_called(territory) if territory else None
    return RunContext(
        as_of=as_of,
        territory=place.name if place else territory,
        collections=names,
        rerank_strategy=rerank,  # type: ignore[arg-type]
    )
