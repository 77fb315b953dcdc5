"""Command ``articulado verify``: check a dossier, or the answers of any system, without a model."""

import asyncio
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from articulado.language.formats import long_day
from articulado.language.translation import reason, translate
from articulado.values.errors import InvalidInput
from cli.failures import FAILED
from cli.options import AsOf, IndexFolder, Json, ProfileOption, read_configuration
from cli.render import clean, console, print_indented, print_json
from cli.session import opened_desk
from evaluation.gold.questions import json_lines

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from articulado.verification.checks import AnswerItem
    from articulado.verification.dossier import Dossier, ProvisionChange, Recalculation, Recheck


def print_recheck(out: Console, dossier: "Dossier", result: "Recheck") -> None:
    """Print checks, findings and calculations of a dossier, and the changes of its sources since then."""
    provenance = dossier["provenance"]
    out.print(f"Pregunta: {clean(dossier['question'])}", markup=False)
    model = provenance["models"].get("principal", "")
    print_indented(out, f"Respondida el {long_day(dossier['today'])}; modelo: {model}.", indent=0)
    out.print()
    for check in result["checks"]:
        sign, style = ("✓", "green") if check["ok"] else ("✗", "red")
        print_indented(out, f"{sign} {check['message']}", indent=0, style=style)
    for finding in result["findings"]:
        print_indented(out, f"«{finding['where']}»: {finding['message']}", indent=2)
    for worked in result["calculations"]:
        _print_calculation(out, worked)
    _print_changes(out, "Ha cambiado desde entonces, de lo que se cita:", (c for c in result["changes"] if c["cited"]))
    _print_changes(out, "Y del resto de lo que se leyó:", (c for c in result["changes"] if not c["cited"]))
    if not result["changes"]:
        out.print("\nDe lo que se leyó, nada ha cambiado desde entonces.")


def _print_calculation(out: Console, worked: "Recalculation") -> None:
    sign, style = ("✓", "green") if worked["same"] else ("≠", "yellow")
    says = "calculado de nuevo, da lo mismo." if worked["same"] else "calculado de nuevo, ha cambiado:"
    print_indented(out, f"{sign} {worked['title']}: {says}", indent=0, style=style)
    for line in (*worked["differences"], *worked["rewordings"]):
        print_indented(out, f"- {line}.", indent=2, hang=2)


def _print_changes(out: Console, title: str, changes: "Iterable[ProvisionChange]") -> None:
    for position, change in enumerate(changes):
        if position == 0:
            out.print(f"\n{title}", markup=False)
        print_indented(
            out, f"[{change['mark']}] {change['law']}, {change['provision']}: {change['message']}.", indent=2
        )


DossierFile = Annotated[
    Path | None, typer.Argument(metavar="[EXPEDIENTE]", help="Fichero escrito con articulado ask --dossier.")
]
Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FICHERO.jsonl",
        help="Respuestas de cualquier sistema, una por línea: "
        '{"id", "question", "context": [{"law_id", "provision", "text"}], "answer"}. '
        "Escribe una línea JSON por respuesta.",
    ),
]


def verify(
    dossier: DossierFile = None,
    answers: Answers = None,
    index: IndexFolder = None,
    profile: ProfileOption = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Check a dossier, or the answers of any system, without a model."""
    from articulado.verification.checks import NEEDED, read_item

    if dossier and answers:
        raise InvalidInput(translate("verify.one_input"))
    if answers:
        # All are read before the first is checked: a line that cannot be read is said at once.
        items = [read_item(line, where, value) for line, where, value in json_lines(answers, NEEDED)]
        settings, knowledge = read_configuration(index, profile)
        asyncio.run(_check_answers(items, settings, knowledge, as_of))
    elif dossier:
        _verify_dossier(dossier, index, profile, as_json=as_json)
    else:
        raise InvalidInput(translate("verify.no_input"))


async def _check_answers(
    items: "Iterable[AnswerItem]", settings: "Settings", knowledge: "KnowledgeProfile", as_of: date | None
) -> None:
    async with opened_desk(settings, knowledge) as desk:
        for item in items:
            verified = await desk.verify(item.answer, as_of or settings.as_of)
            print(json.dumps({"id": item.id, **verified}, ensure_ascii=False))


def _verify_dossier(file: Path, index: Path | None, profile: str | None, *, as_json: bool) -> None:
    dossier = _read(file)
    settings, knowledge = read_configuration(index, profile or dossier["provenance"]["profile"])

    async def recheck() -> "Recheck":
        async with opened_desk(settings, knowledge) as desk:
            return await desk.verify_dossier(dossier)

    result = asyncio.run(recheck())
    if as_json:
        print_json(result)
    else:
        print_recheck(console(), dossier, result)
    if not result["ok"]:
        raise typer.Exit(FAILED)


def _read(file: Path) -> "Dossier":
    from articulado.verification.dossier import read_dossier

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(translate("verify.not_utf8", file=file)) from error
    except OSError as error:
        raise InvalidInput(translate("verify.unreadable", file=file, reason=reason(error))) from error
    return read_dossier(text, str(file))
