"""A law that was ingested is named by its number or its identifier, though no registry knows it."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from support.ingesting import ingest
from support.small_laws import write_law

from articulado.config.settings import Settings
from articulado.legal.laws.indexed import IndexedLaws
from graph.compose import open_services
from graph.rag import build_context

pytestmark = pytest.mark.usefixtures("nothing_comes_along")


async def test_a_provision_of_an_ingested_law_is_looked_up_by_the_number_of_the_law(tmp_path: Path) -> None:
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2031-7", "El faro alumbra.", "El farero duerme.")
    law.write_text(law.read_text().replace("Ley BOE-A-2031-7", "Ley 7/2031, de 1 de marzo, de Faros"))
    configured = Settings.read(env_file=None, index=tmp_path / "indice", home=tmp_path / "home")
    await ingest([law.parent], configured)
    services = await open_services(configured)
    threads = []

    def titles() -> dict[str, str]:
        threads.append(threading.current_thread())
        return {"BOE-A-2031-7": "Ley 7/2031, de 1 de marzo, de Faros"}

    asked = {"question": "¿Qué dice el artículo 2 de la Ley 7/2031?"}
    try:
        states = [
            await build_context(services).ainvoke(
                {"question": question, "history": [{"role": "user", "content": earlier} for earlier in before]},
                output_keys=["direct", "warnings"],
            )
            for *before, question in (
                ["¿Qué dice el artículo 2 de la Ley 7/2031?"],
                ["art. 2 boe-a-2031-7"],
                ["¿Qué dice el artículo 2 de la norma BOE-A-2031-7?"],
                ["art. 1 BOE-A-2031-7", "¿y el 2?"],
            )
        ]
        await build_context(replace(services, laws=IndexedLaws(titles))).ainvoke(asked)
    finally:
        await services.close()
    for state in states:
        assert [candidate["chunk"]["text"] for candidate in state["direct"]] == ["El farero duerme."]
        assert state["warnings"] == []
    # The catalogue is read from the disk: not where other questions wait.
    assert threads
    assert threading.current_thread() not in threads
