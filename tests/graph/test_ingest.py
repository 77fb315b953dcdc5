"""The ingestion graph over real parts: files in, an embedded index out."""

import asyncio
import os
from pathlib import Path

import pytest
from support.ingesting import ingest, opened_ingest
from support.laboral import write_laboral
from support.openai_server import failure, running_server
from support.pdf import partly_scanned_pdf
from support.small_laws import write_law

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.ingestion.incremental.base import KEPT_SECONDS
from articulado.ingestion.indexing import parents as attach
from articulado.legal.wordings import wording_hash
from articulado.store.generations import CATALOG
from articulado.store.opening import open_index
from articulado.store.records import chunks as packaged
from articulado.store.records.schema import ProvisionRecord
from articulado.store.writer import Points
from articulado.values.errors import IndexMismatch, InvalidInput, ModelError
from graph.compose import open_services
from graph.factory import build_ingest_services
from graph.ingest import build_ingest
from graph.rag import build_context, build_rag
from nodes.stage import wait_for

pytestmark = pytest.mark.usefixtures("nothing_comes_along")


def settings(folder: Path, **more: object) -> Settings:
    return Settings.read(env_file=None, index=folder / "indice", home=folder / "home", **more)


def points(configured: Settings) -> dict[int, int]:
    """Return id and digest of every point of the index."""
    return {point.id: point.digest for point in Points.load(open_index(configured.index_folder).folder)}


async def texts(configured: Settings, law_id: str, key: str = "art:1") -> list[str]:
    services = await open_services(configured)
    try:
        return [chunk["text"] for chunk in await services.store.find(law_id, key)]
    finally:
        await services.close()


async def test_every_stage_has_its_name(tmp_path: Path) -> None:
    async with opened_ingest(settings(tmp_path)) as graph:
        names = set(graph.get_graph().nodes)
    stages = {"accept", "download", "discover", "read", "link", "contextualize", "write_index", "summarize"}
    assert stages <= names


async def test_what_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1", "Uno.", "Dos.")
    first = await ingest([tmp_path / "leyes"], settings(tmp_path))
    assert (first["added"], first["updated"], first["unchanged"]) == (["Ley BOE-A-2000-1"], [], 0)
    assert first["provisions"] == 2
    assert first["written"] == first["parents"] + first["children"] == len(points(settings(tmp_path)))
    again = await ingest([tmp_path / "leyes"], settings(tmp_path))
    assert (again["added"], again["updated"], again["removed"], again["unchanged"]) == ([], [], [], 1)
    assert again["generation"] == first["generation"]
    assert again["written"] == 0
    assert "write_index" not in again["seconds"]


async def test_a_changed_provision_is_replaced_and_a_vanished_one_removed(tmp_path: Path) -> None:
    many = [f"Descanso número {number}: véase el artículo 3." for number in range(1, 30)]
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1", *many)
    configured = settings(tmp_path)
    await ingest([law.parent], configured)
    before = points(configured)
    write_law(law, "BOE-A-2000-1", "Descanso nuevo.", *many[1:-1])
    report = await ingest([law.parent], configured)
    after = points(configured)
    assert report["updated"] == ["Ley BOE-A-2000-1"]
    # Parent and child of article 29 are gone; those of article 1 are others.
    assert len(before.keys() - after.keys()) == report["deleted"] == 2
    assert after.keys() <= before.keys()
    assert sum(before[point] != digest for point, digest in after.items()) == report["written"] == 2
    assert await texts(configured, "BOE-A-2000-1") == ["Descanso nuevo."]
    assert await texts(configured, "BOE-A-2000-1", "art:29") == []
    fresh = settings(tmp_path / "otro")
    await ingest([law.parent], fresh)
    assert points(fresh) == after


async def test_a_file_that_vanished_from_its_folder_takes_its_law_along(tmp_path: Path) -> None:
    folder = tmp_path / "leyes"
    gone = write_law(folder / "a.md", "BOE-A-2000-1")
    write_law(folder / "b.md", "BOE-A-2000-2")
    write_law(tmp_path / "mas" / "c.md", "BOE-A-2000-3")
    configured = settings(tmp_path)
    await ingest([folder], configured)
    await ingest([tmp_path / "mas"], configured)
    assert open_index(configured.index_folder).manifest.documents["normativa"] == 3
    gone.unlink()
    report = await ingest([folder], configured)
    assert report["removed"] == ["Ley BOE-A-2000-1"]
    assert await texts(configured, "BOE-A-2000-1") == []
    assert await texts(configured, "BOE-A-2000-2")
    assert await texts(configured, "BOE-A-2000-3"), "of a folder that was not named"


async def test_a_folder_that_is_not_there_takes_nothing_along(tmp_path: Path) -> None:
    write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    other = write_law(tmp_path / "b.md", "BOE-A-2000-2")
    configured = settings(tmp_path)
    await ingest([tmp_path / "leyes", other], configured)
    (tmp_path / "leyes").rename(tmp_path / "movida")
    report = await ingest([tmp_path / "leyes", other], configured)
    assert [Path(failure["source"]).name for failure in report["failures"]] == ["leyes"]
    assert report["removed"] == []
    assert await texts(configured, "BOE-A-2000-1")


async def test_a_file_that_can_no_longer_be_read_keeps_its_place(tmp_path: Path) -> None:
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "leyes" / "b.md", "BOE-A-2000-2")
    configured = settings(tmp_path)
    await ingest([law.parent], configured)
    law.write_text("---\nidentifier: BOE-A-2000-1\n---\n")
    report = await ingest([law.parent], configured)
    assert [Path(failure["source"]).name for failure in report["failures"]] == ["a.md"]
    assert (report["removed"], report["updated"]) == ([], [])
    assert await texts(configured, "BOE-A-2000-1") == ["El descanso semanal es de día y medio."]


async def test_documents_are_removed_by_name(tmp_path: Path) -> None:
    write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "leyes" / "b.md", "BOE-A-2015-11430", "Vacaciones de treinta días.")
    configured = settings(tmp_path)
    await ingest([tmp_path / "leyes"], configured)
    report = await ingest([], configured, remove=["ET"])
    assert report["removed"] == ["Estatuto de los Trabajadores"]
    assert await texts(configured, "BOE-A-2015-11430") == []
    assert await texts(configured, "BOE-A-2000-1")
    before = open_index(configured.index_folder).folder
    with pytest.raises(InvalidInput, match=r"«BOE-A-1999-1» no está entre los documentos .*BOE-A-2000-1"):
        await ingest([], configured, remove=["BOE-A-1999-1", "BOE-A-2000-1"])
    assert open_index(configured.index_folder).folder == before


async def test_references_of_unchanged_laws_follow_what_comes_and_goes(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1", "Se aplica el artículo 38 del Estatuto de los Trabajadores.")
    labour = write_law(tmp_path / "b.md", "BOE-A-2015-11430", *(f"Asunto {number}." for number in range(1, 39)))
    configured = settings(tmp_path)

    async def cited() -> list[str]:
        services = await open_services(configured)
        try:
            [citing] = await services.store.find("BOE-A-2000-1", "art:1")
            return [chunk["provision"] for chunk in await services.store.fetch(citing["refs"])]
        finally:
            await services.close()

    report = await ingest([tmp_path / "a.md"], configured)
    assert report["unresolved"] == {"law not held": 1}
    assert await cited() == []
    report = await ingest([labour], configured)
    assert (report["added"], report["resolved"]) == (["Estatuto de los Trabajadores"], 1)
    assert await cited() == ["Artículo 38"]
    await ingest([], configured, remove=["BOE-A-2015-11430"])
    assert await cited() == []


async def test_a_law_whose_first_file_is_broken_is_read_from_the_second(tmp_path: Path) -> None:
    (tmp_path / "leyes").mkdir()
    (tmp_path / "leyes" / "a.md").write_text("---\nidentifier: BOE-A-2000-1\nlast_updated: 2020-01-01\n---\n")
    write_law(tmp_path / "leyes" / "b.md", "BOE-A-2000-1")
    report = await ingest([tmp_path / "leyes"], settings(tmp_path))
    assert report["added"] == ["Ley BOE-A-2000-1"]
    assert [Path(failure["source"]).name for failure in report["failures"]] == ["a.md"]


async def test_a_ruling_comes_with_what_it_interprets(tmp_path: Path) -> None:
    write_law(tmp_path / "ley.md", "BOE-A-2015-11430", *(f"Asunto {number}." for number in range(1, 39)))
    ruling = tmp_path / "sentencia.txt"
    ruling.write_text(
        "---\ncourt: Tribunal Supremo\nnumber: STS 1/2024\ndate: 2024-01-09\necli: ECLI:ES:TS:2024:1\n"
        "title: Vacaciones\nprovisions: [ET 38]\n---\nLas vacaciones no disfrutadas por enfermedad se conservan.\n"
    )
    configured = settings(tmp_path)
    report = await ingest([tmp_path / "ley.md", ruling], configured)
    assert report["failures"] == []
    services = await open_services(configured)
    try:
        [law] = await services.store.find("BOE-A-2015-11430", "art:38")
        citing = await services.store.citing([law["id"]])
        assert "ECLI:ES:TS:2024:1" in {chunk["law_id"] for chunk in citing}
        assert {chunk["collection"] for chunk in citing} <= {"sentencias", "casos"}
    finally:
        await services.close()


async def test_other_settings_build_everything_anew_from_the_catalogue(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    await ingest([tmp_path / "a.md"], settings(tmp_path))
    other = settings(tmp_path, offline_dimensions=32)
    write_law(tmp_path / "b.md", "BOE-A-2000-2")
    report = await ingest([tmp_path / "b.md"], other)
    assert report["added"] == ["Ley BOE-A-2000-2"]
    assert report["written"] == len(points(other))
    assert await texts(other, "BOE-A-2000-1")


async def test_rebuild_makes_the_same_index_again(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    configured = settings(tmp_path)
    await ingest([tmp_path / "a.md"], configured)
    before = points(configured)
    report = await ingest([], configured, rebuild=True)
    assert report["written"] == len(before)
    assert points(configured) == before


async def test_an_ingest_that_comes_between_is_not_undone(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "b.md", "BOE-A-2000-2")
    configured = settings(tmp_path)
    stages = []
    paths = [str(tmp_path / "a.md"), str(tmp_path / "nada.md")]
    async with opened_ingest(configured) as graph:
        async for update in graph.astream({"paths": paths}, stream_mode="updates"):
            stages += list(update)
            if stages == ["accept", "discover", "read", "link"]:
                await ingest([tmp_path / "b.md"], configured)
            last = update
    assert stages.count("discover") == 2
    assert [Path(one["source"]).name for one in last["summarize"]["report"]["failures"]] == ["nada.md"]
    assert await texts(configured, "BOE-A-2000-1")
    assert await texts(configured, "BOE-A-2000-2")


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({}, "Nada que hacer"),
        ({"confirmed": True}, "Nada que hacer"),
        ({"refresh": True, "accept_shrunk": True}, "Nada que hacer"),
        ({"boe": ["ET"]}, "«ET» no es un identificador del BOE"),
        ({"paths": "/etc"}, "«paths» debe ser una lista"),
        ({"remove": "ET"}, "«remove» debe ser una lista"),
        ({"boe": [3]}, "«boe» debe ser una lista"),
        ({"paths": [""]}, "«paths» debe ser una lista"),
        ({"listing": "6909"}, "«listing» debe ser un objeto"),
        ({"paths": ["/no/existe"]}, "/no/existe: no existe"),
        ({"remove": ["ET"]}, "no está entre los documentos del índice"),
    ],
)
async def test_what_cannot_be_done_is_said(tmp_path: Path, request_: dict, says: str) -> None:
    async with opened_ingest(settings(tmp_path)) as graph:
        with pytest.raises(InvalidInput, match=says):
            await graph.ainvoke(request_)
    assert not (tmp_path / "indice" / "current").exists()


async def test_steps_report_progress(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    async with opened_ingest(settings(tmp_path)) as graph:
        told = [
            (event["step"], event["done"], event["total"])
            async for event in graph.astream({"paths": [str(tmp_path / "a.md")]}, stream_mode="custom")
        ]
    assert told[:3] == [("Leyendo documentos", 1, 1), ("Enlazando citas", 0, 0), ("Preparando fragmentos", 0, 0)]
    assert told[3] == ("Analizando el vocabulario", 0, 0)
    assert {step for step, _, _ in told[4:]} == {"Indexando fragmentos"}
    assert told[-1][1] == told[-1][2]


async def test_paid_vectors_are_cached(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1", *(f"Descanso {number}." for number in range(300)))
    with running_server() as server:
        server.native_dimensions["vectores"] = 8
        embedder = ModelSettings(provider="compatible", base_url=server.url, model="vectores", dimensions=8)
        configured = settings(tmp_path, embedder=embedder, ingest_workers=1)
        server.script("vectores", "", failure(401))
        with pytest.raises(ModelError):
            await ingest([tmp_path / "a.md"], configured)
        paid = {text for request in server.requests[:1] for text in request.body["input"]}
        server.requests.clear()
        await ingest([tmp_path / "a.md"], configured)
        asked = [text for request in server.requests for text in request.body["input"]]
        assert paid
        assert not paid & set(asked)
        assert len(asked) == len(set(asked))


def test_one_graph_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    laws = [write_law(tmp_path / f"{number}.md", f"BOE-A-2000-{number}") for number in (1, 2, 3)]
    with running_server() as server:
        server.native_dimensions["vectores"] = 8
        embedder = ModelSettings(provider="compatible", base_url=server.url, model="vectores", dimensions=8, tpm=10**9)
        configured = settings(tmp_path, embedder=embedder)
        services = build_ingest_services(configured, load_profile(configured.profile))
        graph = build_ingest(services)

        async def ingested(law: Path) -> list[str]:
            async with services:
                return (await graph.ainvoke({"paths": [str(law)]}))["report"]["added"]

        assert asyncio.run(ingested(laws[0])) == ["Ley BOE-A-2000-1"]
        assert graph.invoke({"paths": [str(laws[1])]})["report"]["added"] == ["Ley BOE-A-2000-2"]
        wait_for(services.close())
        assert asyncio.run(ingested(laws[2])) == ["Ley BOE-A-2000-3"]


async def test_damaged_staged_files_are_read_again(tmp_path: Path) -> None:
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    write_law(tmp_path / "leyes" / "b.md", "BOE-A-2000-2")
    configured = settings(tmp_path)
    await ingest([law.parent], configured)
    for staged in (configured.index_folder / "documents").glob("*.document.json"):
        staged.write_text('{"collection": "norm')
    write_law(tmp_path / "leyes" / "c.md", "BOE-A-2000-3")
    await ingest([law.parent], configured)
    assert await texts(configured, "BOE-A-2000-1")
    assert await texts(configured, "BOE-A-2000-2")


async def test_a_document_that_is_nowhere_any_more_is_not_lost_in_silence(tmp_path: Path) -> None:
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    configured = settings(tmp_path)
    await ingest([law], configured)
    for staged in (configured.index_folder / "documents").glob("*.document.json"):
        staged.unlink()
    law.unlink()
    other = write_law(tmp_path / "b.md", "BOE-A-2000-2")
    with pytest.raises(InvalidInput, match=r"Falta lo que se había leído de «Ley BOE-A-2000-1».*remove BOE-A-2000-1"):
        await ingest([other], configured)
    assert await texts(configured, "BOE-A-2000-1")
    report = await ingest([other], configured, remove=["BOE-A-2000-1"])
    assert (report["added"], report["removed"]) == (["Ley BOE-A-2000-2"], ["Ley BOE-A-2000-1"])


async def test_an_index_of_another_version_keeps_its_documents(tmp_path: Path) -> None:
    first = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    configured = settings(tmp_path)
    await ingest([first], configured)
    manifest = open_index(configured.index_folder).folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 3', '"format": 2'))
    report = await ingest([write_law(tmp_path / "b.md", "BOE-A-2000-2")], configured)
    assert report["added"] == ["Ley BOE-A-2000-2"]
    assert await texts(configured, "BOE-A-2000-1")


async def test_a_damaged_catalogue_is_got_over_by_a_rebuild_that_names_what_to_hold(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    configured = settings(tmp_path)
    await ingest([law], configured)
    (open_index(configured.index_folder).folder / CATALOG).write_text("{")
    for request in ({}, {"rebuild": True}):
        with pytest.raises(IndexMismatch, match="--rebuild"):
            await ingest([law] if not request else [], configured, **request)
    await ingest([law], configured, rebuild=True)
    assert await texts(configured, "BOE-A-2000-1")


async def test_a_document_is_removed_by_its_file_and_not_by_a_name_in_it(tmp_path: Path) -> None:
    write_law(tmp_path / "ley.md", "BOE-A-2015-11430")
    guide = tmp_path / "guia del Estatuto de los Trabajadores.txt"
    guide.write_text("Las vacaciones son de treinta días.")
    configured = settings(tmp_path)
    await ingest([tmp_path / "ley.md", guide], configured)
    report = await ingest([], configured, remove=[str(guide)])
    assert len(report["removed"]) == 1
    assert await texts(configured, "BOE-A-2015-11430")


async def test_the_same_folder_by_another_way_is_the_same_folder(tmp_path: Path) -> None:
    law = write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    (tmp_path / "enlace").symlink_to(tmp_path / "leyes")
    configured = settings(tmp_path)
    await ingest([tmp_path / "leyes"], configured)
    for way in (tmp_path / "leyes" / ".." / "leyes", tmp_path / "enlace", law, tmp_path):
        report = await ingest([way], configured)
        assert (report["failures"], report["unchanged"]) == ([], 1)
    law.unlink()
    write_law(tmp_path / "leyes" / "b.md", "BOE-A-2000-2")
    report = await ingest([tmp_path], configured)
    assert report["removed"] == ["Ley BOE-A-2000-1"]


async def test_a_document_that_was_moved_stays(tmp_path: Path) -> None:
    guide = tmp_path / "aqui" / "guia.txt"
    guide.parent.mkdir()
    guide.write_text("Las vacaciones son de treinta días.")
    configured = settings(tmp_path)
    await ingest([guide], configured)
    (tmp_path / "alli").mkdir()
    guide.rename(tmp_path / "alli" / "guia.txt")
    report = await ingest([tmp_path / "alli"], configured)
    assert report["failures"] == []
    assert open_index(configured.index_folder).manifest.documents["documentos"] == 1


async def test_many_small_changes_fit_the_models_anew(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1", *(f"El descanso {number} dura días." for number in range(60)))
    configured = settings(tmp_path)
    await ingest([tmp_path / "a.md"], configured)
    for number in range(2, 12):
        write_law(
            tmp_path / f"{number}.md", f"BOE-A-2000-{number}", *(f"La huelga {n} es un derecho." for n in range(6))
        )
        await ingest([tmp_path / f"{number}.md"], configured)
    services = await open_services(configured)
    try:
        [vector] = (await services.embedder.embed_queries(["huelga"])).vectors
        assert vector.any()
    finally:
        await services.close()


async def test_a_change_of_context_is_written_and_one_of_the_reader_alone_is_not(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    await ingest([tmp_path / "a.md"], settings(tmp_path))
    reader = ModelSettings(model="otro-lector")
    same = await ingest([tmp_path / "a.md"], settings(tmp_path, reader=reader))
    assert "write_index" not in same["seconds"]
    other = await ingest([tmp_path / "a.md"], settings(tmp_path, chunk_context="none"))
    assert other["written"] > 0
    assert (other["unchanged"], other["updated"]) == (1, [])


async def test_a_run_without_changes_tells_the_same_references(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1", "Véase el artículo 2. Rige el artículo 38 del ET.", "Otro.")
    first = await ingest([tmp_path / "a.md"], settings(tmp_path))
    again = await ingest([tmp_path / "a.md"], settings(tmp_path))
    assert first["resolved"] == again["resolved"] == 1
    assert first["unresolved"] == again["unresolved"] == {"law not held": 1}


async def test_staged_documents_are_reused(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    configured = settings(tmp_path)
    await ingest([law], configured)
    folder = configured.index_folder / "documents"
    [held] = folder.glob("*.document.json")
    old = held.stat().st_mtime - 2 * KEPT_SECONDS
    useless = held.with_name("00.document.json")
    useless.write_text("{}")
    for file in (held, useless):
        os.utime(file, (old, old))
    await ingest([write_law(tmp_path / "b.md", "BOE-A-2000-2")], configured)
    assert held.is_file()
    assert not useless.exists()


async def test_a_name_that_is_not_utf8_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    write_law(tmp_path / "leyes" / "a.md", "BOE-A-2000-1")
    (tmp_path / "leyes" / os.fsdecode(b"espa\xf1a.txt")).write_text("texto")
    report = await ingest([tmp_path / "leyes"], settings(tmp_path))
    assert [failure["reason"] for failure in report["failures"]] == ["el nombre no está en UTF-8: cámbielo"]
    assert report["added"] == ["Ley BOE-A-2000-1"]


async def test_a_law_that_has_changed_loses_the_summary_and_keeps_the_words_of_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    et, text = "BOE-A-2015-11430", "Los trabajadores descansarán treinta días."
    record = ProvisionRecord(
        law_id=et,
        provision="Artículo 1",
        title="Asunto 1",
        summary="Un mes libre.",
        points=("Un mes.",),
        questions=("cuando toca veraneo",),
        keywords=(),
        topics=("vacaciones",),
        refs=(),
        written_against={"content_hash": wording_hash(text), "date": "2000-01-02"},
    )
    monkeypatch.setattr(attach, "packaged_law_records", lambda: {(et, "art:1"): record})
    records = {et: {(et, "art:1"): record}}
    monkeypatch.setattr(packaged, "records_of_law", lambda law_id: records.get(law_id, {}))
    configured = settings(tmp_path, profile=write_laboral(tmp_path, records=True))
    law = write_law(tmp_path / "a.md", et, text, "Otra cosa.")
    report = await ingest([law], configured, packaged=False)
    assert (report["summaries"], report["stale"]) == (1, [])
    assert await summary_and_search(configured, "veraneo") == ("Un mes libre.", "art:1")
    # Told again where nothing has changed.
    assert (await ingest([law], configured))["summaries"] == 1
    write_law(law, et, text.replace("treinta", "veintitrés"), "Otra cosa.")
    report = await ingest([law], configured)
    stale = {"law_id": et, "law": "Estatuto de los Trabajadores", "provision": "Artículo 1"}
    assert (report["summaries"], report["stale"]) == (0, [{**stale, "written_against": "2000-01-02"}])
    assert await summary_and_search(configured, "veraneo") == ("", "art:1")


async def summary_and_search(configured: Settings, word: str) -> tuple[str, str]:
    """Return the summary that an answer shows of article 1, and the best provision for a word."""
    services = await open_services(configured)
    try:
        states = build_context(services).astream({"question": word}, stream_mode="values")
        candidates = [state async for state in states][-1]["candidates"]
        best = max(candidates, key=lambda one: one["score"])
        answered = await build_rag(services).ainvoke({"question": "artículo 1 del ET"})
        [cited] = [one for one in answered["citations"] if one["provision"] == "Artículo 1"]
        assert cited["official"]
        return cited["summary"], best["chunk"]["provision_key"]
    finally:
        await services.close()


async def test_pages_that_were_not_read_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "guia.pdf").write_bytes(partly_scanned_pdf([["Guía de permisos."], []]))
    first = await ingest([tmp_path / "guia.pdf"], settings(tmp_path))
    (warning,) = first["warnings"]
    assert "guia.pdf" in warning
    assert "páginas: 2." in warning
    assert (await ingest([tmp_path / "guia.pdf"], settings(tmp_path)))["warnings"] == []
