"""Command ``articulado case``: the required data of a case, and its response.

The filter fields of the profile become options, such as ``--record-keeper``.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from cli.case.calibrate import calibrate
from cli.failures import Command, Commands
from cli.options import IndexFolder, Json, ProfileOption, Rerank, read_configuration, run_context, whole
from cli.render import console, print_json
from cli.session import opened_services

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from articulado.language.languages import Language
    from graph.case import Case
    from state.context import RunContext

ANY_OPTION = {"ignore_unknown_options": True, "allow_extra_args": True}
"""The filter fields of a profile are options too, and a profile is data."""

FIELDS = (
    "Además, una opción por cada campo de filtro del perfil: en «laboral», --regimen, --tipo-contrato y --topic; en "
    "«plan_401k», --record-keeper, --plan-type y --topic."
)

app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    epilog=FIELDS,
)


@app.callback()
def root(context: typer.Context) -> None:
    """Show the help where no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Inquiry = Annotated[str, typer.Option("--inquiry", metavar="TEXTO", help="Qué se pide en el caso.")]
CollectedData = Annotated[
    str | None,
    typer.Option(
        "--collected-data",
        metavar="JSON",
        help="Los datos reunidos, como objeto JSON, o @FICHERO que lo contiene (@- lee la entrada). Sin ella, en un "
        "terminal se preguntan los que faltan.",
        show_default=False,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        metavar="N",
        parser=whole("--max-tokens", 200, 200_000),
        help="Tokens de contexto y respuesta juntos. Sin ella, los del perfil.",
    ),
]


@app.command("required-data", cls=Command, context_settings=ANY_OPTION, epilog=FIELDS)
def required_data(
    context: typer.Context,
    inquiry: Inquiry,
    profile: ProfileOption = None,
    index: IndexFolder = None,
    rerank: Rerank = None,
    as_json: Json = False,
) -> None:
    """Dice qué datos necesita un caso."""
    from graph.case import build_required_data

    settings, knowledge = read_configuration(index, profile)
    graph_input = {"inquiry": inquiry, **filters_of(context.args, knowledge)}
    _run("required_data", build_required_data, graph_input, settings, knowledge, rerank, as_json=as_json)


@app.command("respond", cls=Command, context_settings=ANY_OPTION, epilog=FIELDS)
def respond(
    context: typer.Context,
    inquiry: Inquiry,
    collected_data: CollectedData = None,
    max_tokens: MaxTokens = None,
    profile: ProfileOption = None,
    index: IndexFolder = None,
    rerank: Rerank = None,
    as_json: Json = False,
) -> None:
    """Responde un caso con los datos reunidos, sin pasar de un número de tokens."""
    from graph.case import build_generate_response

    settings, knowledge = read_configuration(index, profile)
    graph_input: dict[str, Any] = {
        "inquiry": inquiry,
        "collected_data": read_data(collected_data or "{}"),
        **filters_of(context.args, knowledge),
    }
    if max_tokens is not None:
        graph_input["max_tokens"] = max_tokens
    asks = collected_data is None and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    _run(
        "generate_response",
        build_generate_response,
        graph_input,
        settings,
        knowledge,
        rerank,
        as_json=as_json,
        asks=asks,
    )


app.command("calibrate", cls=Command)(calibrate)


def _run(
    name: str,
    build: "Callable[..., Case]",
    graph_input: Mapping[str, Any],
    settings: "Settings",
    profile: "KnowledgeProfile",
    rerank: str | None,
    *,
    as_json: bool,
    asks: bool = False,
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    from cli.case.view import print_required_data, print_response

    context = run_context(profile, None, None, None, rerank)
    show = print_required_data if name == "required_data" else print_response

    async def run_command() -> None:
        async with opened_services(settings, profile) as services:
            result: dict[str, Any]
            if asks:
                result = await _asking(build(services, InMemorySaver()), graph_input, context, services.language)
            else:
                result = await build(services).ainvoke(graph_input, context=context)
            if as_json:
                print_json(result)
            else:
                show(console(), result, services.profile, services.language, graph_input.get("max_tokens"))

    asyncio.run(run_command())


async def _asking(case: "Case", graph_input: Mapping[str, Any], context: "RunContext", language: "Language") -> Any:
    """Run a case on a thread of its own, and ask in the terminal for the data that it lacks."""
    from langgraph.types import Command as Resume

    from cli.case.view import ask_for

    config: Any = {"configurable": {"thread_id": "terminal"}}
    result = await case.ainvoke(graph_input, config, context=context)
    while asked := result.get("__interrupt__"):
        answer = ask_for(console(), asked[0].value, language)
        result = await case.ainvoke(Resume(resume=answer or False), config, context=context)
    return result


def read_data(argument: str) -> dict[str, Any]:
    """Read collected data from the command line, or with ``@`` from the file that it names (``@-``: from stdin).

    Raises:
        InvalidInput: the file cannot be read, it is no JSON object, or an object has the same key twice.
    """
    if argument.startswith("@"):
        try:
            file = Path(argument[1:]).expanduser()
            argument = sys.stdin.read() if argument == "@-" else file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise InvalidInput(translate("command.data_unreadable", file=argument[1:])) from error
    try:
        data = json.loads(argument, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(translate("command.data_not_json")) from error
    if not isinstance(data, dict):
        raise InvalidInput(translate("command.data_no_object"))
    return data


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of a JSON object.

    Raises:
        InvalidInput: a key comes twice; of two values none may be lost unseen.
    """
    names = [name for name, _ in pairs]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(translate("command.data_repeated", name=repeated))
    return dict(pairs)


def filters_of(arguments: Sequence[str], profile: "KnowledgeProfile") -> dict[str, str]:
    """Read the options that the profile adds: ``--record-keeper X`` or ``--record-keeper=X``.

    Raises:
        InvalidInput: an option that the profile does not have, one without its value, or something that is no option.
    """
    options = {f"--{field.name.replace('_', '-')}": field.name for field in profile.filter_fields}
    filters: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        if option not in options:
            names = ", ".join(options) or translate("command.no_filters")
            raise InvalidInput(translate("command.unknown_case_option", option=option, name=profile.name, names=names))
        if not equals:
            if not rest or rest[0] in options:
                raise InvalidInput(translate("command.no_value", option=option))
            value = rest.pop(0)
        filters[options[option]] = value
    return filters
