"""Command ``articulado case``; the filter fields of the profile become options, such as ``--record-keeper``."""

import asyncio
import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from articulado.config.profile import Profile
from articulado.language.formats import written
from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.legal.labels import law_url
from articulado.values.errors import InvalidInput
from cli.case.calibrate import calibrate
from cli.failures import Command, Commands
from cli.options import IndexFolder, Json, ProfileOption, Rerank, read_configuration, run_context, whole
from cli.render import clean, console, notice, print_indented, print_json
from cli.session import opened_services

if TYPE_CHECKING:
    from articulado.config.settings import Settings
    from graph.case import Case
    from state.context import RunContext


GROUPS = ("participant_data", "plan_data")
MOST_SHOWN = 0.99  # highest confidence shown: an estimate is never certain


def print_required_data(
    out: Console, result: Mapping[str, Any], profile: Profile, language: Language, budget: int | None = None
) -> None:
    """Print the article, the data that the case needs by category, and the sources."""
    reference, account = result["article_reference"], result["metadata"]
    outcome = "" if result["outcome"] == "found" else result["outcome"]
    _print_opening(out, outcome, account["article_title"], reference["confidence"] if reference else 0.0, language)
    if result["message"]:
        _say(out, result["message"], "yellow")
    for group in GROUPS:
        if fields := result["required_fields"][group]:
            _heading(out, f"\n{getattr(profile.case.categories, group) or language.translate(f'view_group_{group}')}")
            for field in fields:
                _print_field(out, field, language)
    if any(field["required"] for group in GROUPS for field in result["required_fields"][group]):
        out.print(f"\n{language.translate('view_required')}", style="dim")
    _print_end(out, result, profile, language)
    if account["chunks_used"]:
        out.print(
            language.translate(
                "view_account_required",
                context=account["context_tokens"],
                answer=account["answer_tokens"],
                chunks=account["chunks_used"],
            ),
            style="dim",
            markup=False,
        )


def ask_for(out: Console, missing: Mapping[str, Any], language: Language) -> dict[str, str]:
    """Ask in the terminal for missing data, and return the replies by field; Ctrl+D ends the questions."""
    _say(out, missing["message"], "yellow")
    answers: dict[str, str] = {}
    try:
        for field in missing["fields"]:
            out.print()
            _heading(out, field["json_schema"]["description"])
            if "problem" in field:
                _say(out, f"{language.quoted(field['given'])} {field['problem']}", "yellow")
            out.print(clean(field["why_needed"]), style="dim", markup=False)
            if values := field["json_schema"].get("enum"):
                out.print(clean(", ".join(values)), style="dim", markup=False)
            if answer := input("› ").strip():
                answers[field["field"]] = answer
    except EOFError:
        out.print()
    return answers


def print_response(
    out: Console, result: Mapping[str, Any], profile: Profile, language: Language, budget: int | None = None
) -> None:
    """Print the decision, the answer by section, the removed parts and the sources."""
    account = result["metadata"]
    _print_opening(out, result["decision"], account["article_title"], result["confidence"], language)
    if result["message"]:
        _say(out, result["message"], "yellow")
    for section in result["response"]["sections"]:
        _heading(out, f"\n{section['topic']}")
        for item in section["answer_components"]:
            print_indented(out, item, indent=2)
        for number, step in enumerate(section["steps"], start=1):
            print_indented(out, f"{number}. {step}", indent=2)
        for warning in section["warnings"]:
            print_indented(out, language.translate("view_warning", text=warning), indent=2, style="yellow")
    for violation in result["guardrails"]["violated"]:
        removed = language.translate("view_removed", rule=violation["rule"], removed=violation["removed"])
        _say(out, f"\n{removed}", "red")
    _print_end(out, result, profile, language)
    if account["chunks_used"]:
        out.print(
            language.translate(
                "view_account",
                tokens=account["token_count"],
                maximum=budget or profile.case.response.max_tokens,
                context=account["context_tokens"],
                answer=account["answer_tokens"],
                chunks=account["chunks_used"],
                checked=result["guardrails"]["checked"],
            ),
            style="dim",
            markup=False,
        )


def _print_opening(out: Console, decision: str, title: str, confidence: float, language: Language) -> None:
    guide = (
        language.translate("view_guide", guide=title, confidence=written(min(confidence, MOST_SHOWN), 2, language.code))
        if title
        else ""
    )
    if decision:
        _heading(out, language.translate(f"view_decision_{decision}"))
    if guide:
        out.print(clean(guide), style="" if decision else "bold", markup=False)


def _print_field(out: Console, field: Mapping[str, Any], language: Language) -> None:
    mark = "*" if field["required"] else " "
    guess = f", {language.translate('view_uncertain')}" if field["uncertain"] else ""
    data_type = language.translate(f"view_type_{field['data_type']}")
    print_indented(
        out,
        f"{mark} {field['field']} ({data_type}{guess}): {field['description']}",
        indent=2,
    )
    print_indented(out, language.translate("view_why", why=field["why_needed"]), indent=6, style="dim")


def _print_end(out: Console, result: Mapping[str, Any], profile: Profile, language: Language) -> None:
    for warning in result["warnings"]:
        _say(out, f"\n{language.translate('view_warning', text=warning)}", "yellow")
    if result["sources"]:
        _heading(out, f"\n{language.translate('view_sources')}")
    for article, laws in _articles(result["sources"]).items():
        print_indented(out, article, indent=2)
        for (law_id, law), labels in laws.items():
            print_indented(out, f"{law}: {', '.join(labels)}", indent=4)
            print_indented(out, law_url(law_id), indent=4, style="cyan")
    command = shlex.join(["articulado", "ask", " ".join(clean(result["metadata"]["question"]).split())])
    out.print(Text(f"\n{language.translate('view_ask_question', command=command)}"), soft_wrap=True)
    _say(out, f"\n{notice(language, law=profile.features.spanish_law)}", "dim")


def _articles(sources: Sequence[Mapping[str, Any]]) -> dict[str, dict[tuple[str, str], dict[str, None]]]:
    by_article: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
    for source in sources:
        laws = by_article.setdefault(f"{source['article_title']} ({source['article_id']})", {})
        for cited in source["cited"]:
            laws.setdefault((cited["law_id"], cited["law"]), {})[cited["provision"]] = None
    return by_article


def _heading(out: Console, text: str) -> None:
    out.print(clean(text), style="bold", markup=False)


def _say(out: Console, text: str, style: str) -> None:
    out.print(clean(text), style=style, markup=False)


ANY_OPTION = {"ignore_unknown_options": True, "allow_extra_args": True}

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
    profile: Profile,
    rerank: str | None,
    *,
    as_json: bool,
    asks: bool = False,
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

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


async def _asking(case: "Case", graph_input: Mapping[str, Any], context: "RunContext", language: Language) -> Any:
    from langgraph.types import Command as Resume

    config: Any = {"configurable": {"thread_id": "terminal"}}
    result = await case.ainvoke(graph_input, config, context=context)
    while asked := result.get("__interrupt__"):
        answer = ask_for(console(), asked[0].value, language)
        result = await case.ainvoke(Resume(resume=answer or False), config, context=context)
    return result


def read_data(argument: str) -> dict[str, Any]:
    """Read collected data as a JSON object, or from a file given as ``@FILE`` (``@-``: stdin)."""
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
    names = [name for name, _ in pairs]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(translate("command.data_repeated", name=repeated))
    return dict(pairs)


def filters_of(arguments: Sequence[str], profile: Profile) -> dict[str, str]:
    """Read the options of the profile's filter fields: ``--record-keeper X`` or ``--record-keeper=X``."""
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
