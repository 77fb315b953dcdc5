"""``articulado verify``: check a dossier again, or the answers of any system, without a model."""

import asyncio
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from articulado.language.translation import reason, translate
from articulado.values.errors import InvalidInput
from cli.failures import FAILED
from cli.options import AsOf, IndexFolder, Json, ProfileOption, read_configuration
from cli.render import console, print_json
from cli.session import opened_services
from cli.verify.view import print_recheck
from evaluation.json_lines import json_lines

if TYPE_CHECKING:
    from articulado.config.profile import Profile as KnowledgeProfile
    from articulado.config.settings import Settings
    from articulado.verification.checks import AnswerItem
    from articulado.verification.dossier import Dossier, Recheck

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
    """Write ``{"id", "ok", "findings": [{"check", "where", "message"}]}`` of each answer, in their order."""
    from articulado.verification.checks import findings_of
    from articulado.verification.citations import look_up

    async with opened_services(settings, knowledge) as services:
        for item in items:
            known = await look_up(item.answer, services.store, as_of or settings.as_of, services.calendar())
            findings = [
                {"check": finding["check"], "where": finding["where"], "message": finding["message"]}
                for finding in findings_of(item.answer, known)
            ]
            print(json.dumps({"id": item.id, "ok": not findings, "findings": findings}, ensure_ascii=False))


def _verify_dossier(file: Path, index: Path | None, profile: str | None, *, as_json: bool) -> None:
    dossier = _read(file)
    settings, knowledge = read_configuration(index, profile or dossier["provenance"]["profile"])
    result = asyncio.run(_recheck(dossier, settings, knowledge))
    if as_json:
        print_json(result)
    else:
        print_recheck(console(), dossier, result)
    if not result["ok"]:
        raise typer.Exit(FAILED)


def _read(file: Path) -> "Dossier":
    """Read a dossier.

    Raises:
        InvalidInput: the file cannot be read, or is none.
    """
    from articulado.verification.dossier import read_dossier

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(translate("verify.not_utf8", file=file)) from error
    except OSError as error:
        raise InvalidInput(translate("verify.unreadable", file=file, reason=reason(error))) from error
    return read_dossier(text, str(file))


async def _recheck(dossier: "Dossier", settings: "Settings", knowledge: "KnowledgeProfile") -> "Recheck":
    from articulado.verification.dossier import recheck

    async with opened_services(settings, knowledge) as services:
        return await recheck(dossier, services.records if dossier["store"] == "records" else services.store)
