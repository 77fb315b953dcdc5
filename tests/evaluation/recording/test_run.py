"""The graph on a recording: its day, its deadline, its models."""

import time
from dataclasses import replace
from datetime import date

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.values.errors import InvalidInput
from evaluation.recording.recording import Manifest, RecordedModel, Recording
from evaluation.recording.run import RecordedChat, RecordedRun
from graph.rag import build_rag
from state.context import RunContext

DAY = date(2021, 3, 28)
LONG = 10_000_000.0
"""Seconds of a deadline that no busy machine reaches, and far fewer than there are since that day."""


def services_of(settings, *, reader='["vacaciones"]', principal="Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"):
    store = FakeStore([make_chunk(38, "Artículo 38")], {"vacaciones": [(38, 0.9)]})
    return make_services(store, QueueChat(reader), QueueChat(principal), settings=settings)


def settings_of(provider="compatible", model="m", **values):
    role = ModelSettings(provider=provider, model=model, base_url="http://127.0.0.1:9/v1")
    return Settings.read(env_file=None, reader=role, principal=role, **values)


def begun(folder, *, day=DAY, provider="compatible", model="m"):
    recorded = RecordedModel(provider=provider, model=model)
    Recording.read(folder).begin(Manifest(day=day, reader=recorded, principal=recorded, profile="laboral"))
    return folder


@pytest.mark.parametrize("replays", [True, False])
async def test_a_run_is_on_the_day_of_its_recording_and_not_late(tmp_path, replays):
    run = RecordedRun(Recording.read(begun(tmp_path)), replays)
    settings = run.settings(settings_of(question_timeout=LONG), RunContext())
    services = await run.services(services_of(settings))
    asked = replace(services, reader_model=QueueChat('["vacaciones"]'), principal_model=QueueChat("Son 30 días [C1]."))
    began = time.time()
    state = await build_rag(asked).ainvoke(
        {"question": "¿Cuántas vacaciones tengo?"}, output_keys=["today", "deadline"]
    )
    assert state["today"] == DAY.isoformat()
    assert began + LONG - 1 < state["deadline"] <= time.time() + LONG + 1


async def test_the_day_of_a_question_is_that_of_the_calendar():
    services = replace(services_of(settings_of()), calendar=lambda: date(2019, 5, 6))
    state = await build_rag(services).ainvoke({"question": "¿Cuántas vacaciones tengo?"}, output_keys=["today"])
    assert state["today"] == "2019-05-06"


async def test_a_replay_takes_models_and_their_tokens_from_the_recording(tmp_path):
    run = RecordedRun(Recording.read(begun(tmp_path, model="gpt-5.2")), replays=True)
    settings = run.settings(settings_of("openai", "otro"), RunContext())
    # Opening asks for no key, and counts tokens as they were counted.
    assert (settings.reader.provider, settings.principal.provider) == ("offline", "offline")
    assert (settings.reader.model, settings.principal.model) == ("gpt-5.2", "gpt-5.2")
    services = await run.services(services_of(settings))
    # Running is as with a chat model.
    assert (services.settings.reader.provider, services.settings.principal.provider) == ("compatible", "compatible")
    assert isinstance(services.reader_model, RecordedChat)
    assert services.principal.name == "gpt-5.2 (grabación)"


async def test_a_replay_of_the_offline_models_goes_on_as_offline(tmp_path):
    run = RecordedRun(Recording.read(begun(tmp_path, provider="offline")), replays=True)
    services = await run.services(services_of(run.settings(settings_of(), RunContext())))
    assert services.settings.principal.provider == "offline"
    assert (services.reader_model, services.principal_model) == (None, None)


async def test_a_replay_of_nothing_begins_a_recording_that_somebody_writes(tmp_path):
    run = RecordedRun.of(None, tmp_path / "nueva")
    services = await run.services(services_of(run.settings(settings_of("offline", "m"), RunContext())))
    assert services.settings.principal.provider == "compatible"
    # It is not said that the model wrote what somebody will.
    assert services.principal.name == "respuestas escritas aparte (grabación)"
    manifest = Recording.read(tmp_path / "nueva").manifest
    assert manifest.chunks == {"normativa": 1}
    assert manifest.profile == "laboral"


async def test_another_index_or_profile_than_then_is_named(tmp_path):
    run = RecordedRun.of(None, tmp_path / "nueva")
    await run.services(services_of(run.settings(settings_of(), RunContext())))
    assert run.recording.differences == []

    again = RecordedRun.of(None, tmp_path / "nueva")
    services = services_of(again.settings(settings_of(), RunContext()))
    store = FakeStore([make_chunk(number, f"Artículo {number}") for number in (37, 38)])
    await again.services(replace(services, store=store, profile=load_profile("plan_401k")))
    assert again.recording.differences == [
        "La grabación es del perfil «laboral», no de «plan_401k».",
        "La grabación es de un índice con normativa 1; este tiene normativa 2.",
    ]


async def test_a_recording_is_continued_with_its_own_models_alone(tmp_path):
    run = RecordedRun(Recording.read(begun(tmp_path)), replays=False)
    await run.services(services_of(settings_of()))
    with pytest.raises(InvalidInput, match=r"es de m \(compatible\), no de otro \(compatible\)"):
        await run.services(services_of(settings_of(model="otro")))


def test_incompatible_options_of_recordings_are_refused(tmp_path):
    run = RecordedRun.of(tmp_path, None)
    with pytest.raises(InvalidInput, match="--rerank"):
        run.settings(settings_of(), RunContext(rerank_strategy="llm"))
    with pytest.raises(InvalidInput, match="no se pueden combinar"):
        RecordedRun.of(tmp_path, tmp_path)
    assert RecordedRun.of(None, None) is None


async def test_the_checker_of_a_recording_is_replayed_and_a_run_without_one_is_refused(tmp_path):
    model = ModelSettings(provider="compatible", model="m", base_url="http://127.0.0.1:9/v1")
    settings = settings_of(checker=model)
    reply = '{"verdicts": [{"claim": 1, "evidence": "y son 30 días", "verdict": "contradicted"}]}'
    recorded = replace(services_of(settings), checker=QueueChat(reply))
    recorder = RecordedRun(Recording.read(tmp_path), replays=False)
    first = await build_rag(await recorder.services(recorded)).ainvoke({"question": "¿Cuántas vacaciones tengo?"})

    again = RecordedRun(Recording.read(tmp_path), replays=True)
    replay = await again.services(services_of(again.settings(settings, RunContext())))
    second = await build_rag(replay).ainvoke({"question": "¿Cuántas vacaciones tengo?"})
    assert [finding["check"] for finding in first["findings"]] == ["claim"]
    assert second["findings"] == first["findings"]
    # Reader, principal and checker; the embedder is not recorded.
    assert first["usage"]["model_calls"] - second["usage"]["model_calls"] == 3

    with pytest.raises(InvalidInput, match="con el modelo que comprueba respuestas"):
        await RecordedRun(Recording.read(tmp_path), replays=False).services(services_of(settings_of()))
