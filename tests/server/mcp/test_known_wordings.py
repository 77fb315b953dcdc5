"""Nothing repealed, and nothing that is still to come, is served as in force: what the tool ``provision`` serves of
random provisions and days (250, of ``make check-all`` 2,000), against the dates of the wordings as their sources have
them (``support``).
"""

import asyncio
import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from support.boe_law import article, block, version, write_law_xml
from support.examples import examples
from support.ingesting import ingest
from support.known_wordings import Provision, letters, of_gazette, of_snapshots
from support.laboral import write_laboral
from support.paths import SHARED

from articulado.config.settings import Settings
from server.mcp.app import mcp_server

from .conftest import opened_over

SEED = 20261128
NEAR = range(-3, 4)
"""Days around one on which a wording begins, where half of the days lie."""
CORPUS = SHARED / "corpus"
IN_FORCE = date(2015, 11, 13)
"""First day on which the Estatuto is in force (single final provision of the decree that approves it)."""
STATUTE, PENALTIES, DATA_PROTECTION = "BOE-A-2015-11430", "BOE-A-2000-15060", "BOE-A-2018-16673"


def pairs(provisions: Sequence[Provision], since: date, number: int) -> list[tuple[Provision, date]]:
    """Draw provisions and days from ``since`` to today, half of them around the days of what has changed."""
    chance, drawn = random.Random(SEED), []
    changed = [provision for provision in provisions if provision.has_changed]
    while len(drawn) < number:
        if len(drawn) % 2:
            provision = chance.choice(changed)
            day = chance.choice(provision.edges) + timedelta(days=chance.choice(NEAR))
        else:
            provision = chance.choice(provisions)
            day = since + timedelta(days=chance.randrange((date.today() - since).days))
        if since <= day <= date.today() and provision.on(day):
            drawn.append((provision, day))
    return drawn


async def served(client: Client, provision: Provision, day: date | None) -> tuple[str, Any]:
    """Return the letters of what is served as law on a day, none for nothing, and the whole result."""
    arguments = {"law": provision.law_id, "provision": provision.label}
    called = await client.call_tool("provision", {**arguments, **({"date": day.isoformat()} if day else {})})
    result = called.structured_content
    if called.is_error:
        return "", called.content[0].text
    assert result["as_of"] == (day or date.today()).isoformat()
    begins, ends = result["valid_from"] or "", result["valid_to"] or "9999"
    assert not result["in_force"] or begins <= result["as_of"] < ends
    return letters(result["text"]) if result["in_force"] else "", result


async def faults(settings: Settings, drawn: Sequence[tuple[Provision, date]]) -> list[Any]:
    """Return the pairs of which something else is served than was law."""
    opened, wrong = opened_over(settings), []
    async with Client(mcp_server(opened)) as client:
        for provision, day in drawn:
            text, result = await served(client, provision, day)
            if not provision.allows(text, day):
                wrong.append((provision.law_id, provision.label, day.isoformat(), result))
        for provision in {provision for provision, _ in drawn}:
            text, result = await served(client, provision, None)
            if not provision.allows(text, date.today()):
                wrong.append((provision.law_id, provision.label, "today", result))
    await opened.close()
    return wrong


@pytest.fixture(scope="module")
def real_settings(real_laws: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An index of two laws in their texts of several days, and one in the gazette's XML with all its wordings."""
    history = CORPUS / "laws_history"
    if not history.is_dir():
        pytest.skip("the earlier wordings are not beside this checkout (../shared/corpus/laws_history)")
    folder = tmp_path_factory.mktemp("wordings")
    settings = Settings.read(env_file=None, home=folder, index=folder / "index", profile=write_laboral(folder))
    texts = [file for law in (STATUTE, PENALTIES) for file in (*history.glob(f"{law}@*.md"), real_laws / f"{law}.md")]
    gazette = CORPUS / "boe_api" / DATA_PROTECTION / "full.xml"
    asyncio.run(ingest([*texts, history / "reforms.tsv", gazette], settings))
    return settings


@pytest.mark.parametrize(
    ("law", "since", "number"),
    [
        (STATUTE, date(2015, 10, 1), examples(3)),
        # Its first text is that of 10 July 2021, with a reform of that day.
        (PENALTIES, date(2021, 7, 31), examples(1 / 2)),
        (DATA_PROTECTION, date(2018, 1, 1), examples(3 / 2)),
    ],
)
async def test_served_wordings_were_law_on_the_day(
    real_settings: Settings, real_laws: Path, law: str, since: date, number: int
) -> None:
    history = CORPUS / "laws_history"
    if law == DATA_PROTECTION:
        provisions = list(of_gazette(CORPUS / "boe_api" / law / "full.xml", date.today()))
    else:
        files = [*history.glob(f"{law}@*.md"), real_laws / f"{law}.md"]
        first_day = IN_FORCE if law == STATUTE else since
        provisions = list(of_snapshots(files, history / "reforms.tsv", first_day, whole=law == STATUTE))
    assert await faults(real_settings, pairs(provisions, since, number)) == []


DAYS = ["20050301", "20120615", "20180101", "20230401"]


def written(folder: Path) -> Path:
    """Write a law whose ten articles have up to four wordings; some are repealed, and one comes again."""
    chance, blocks = random.Random(SEED), []
    for number in range(1, 11):
        starts = sorted(chance.sample(DAYS, chance.randint(1, len(DAYS))))
        versions = []
        for at, start in enumerate(starts):
            gone = at > 0 and chance.random() < 0.4
            body = "(Derogado)" if gone else f"El plazo es de {chance.randint(2, 400)} días."
            heading = f"Artículo {number}. Plazo."
            versions.append(version(article(heading, body), start=start, published=start, norm=f"BOE-A-{start[:4]}-1"))
        blocks.append(block(f"Artículo {number}", *versions, id=f"b{number}"))
    return write_law_xml(folder / "ley.xml", *blocks)


async def test_a_law_that_is_made_for_it_is_served_by_its_days(tmp_path: Path) -> None:
    file = written(tmp_path)
    settings = Settings.read(env_file=None, home=tmp_path, index=tmp_path / "index", profile=write_laboral(tmp_path))
    await ingest([file], settings)
    provisions = list(of_gazette(file, date.today()))
    assert any("" in provision.on(date(2024, 1, 1)) for provision in provisions)
    assert await faults(settings, pairs(provisions, date(2001, 1, 1), examples(2))) == []
