"""A recording on the disk: the name of a prompt, what waits, what is stale, and what is damaged."""

import json
from datetime import date

import pytest

from articulado.values.errors import InvalidInput
from evaluation.recording.recording import Manifest, RecordedModel, Recording, prompt_of

PROMPT = prompt_of("reader", "Busca.", [{"role": "user", "content": "¿Cuántas vacaciones?"}])
HASH = "d2f825d55f22a241"
"""Of sha256sum over the line that the test below has."""
OTHER = prompt_of("principal", "Responde.", [{"role": "user", "content": "¿Cuántas vacaciones?"}])
MODEL = RecordedModel(provider="compatible", model="m")
MANIFEST = Manifest(day=date(2026, 3, 2), reader=MODEL, principal=MODEL, profile="laboral", chunks={"normativa": 7})


@pytest.fixture
def folder(tmp_path):
    """The folder of a recording with one reply."""
    folder = tmp_path / "grabacion"
    recording = Recording.read(folder)
    recording.begin(MANIFEST)
    recording.keep(PROMPT, '["vacaciones"]\n')
    return folder


def test_the_name_of_a_prompt_is_the_hash_of_its_canonical_json():
    canonical = '{"messages":[{"content":"¿Cuántas vacaciones?","role":"user"}],"role":"reader","system":"Busca."}'
    assert json.loads(canonical) == PROMPT.model_dump(mode="json")
    assert PROMPT.hash == HASH


@pytest.mark.parametrize(
    "other",
    [
        prompt_of("principal", PROMPT.system, PROMPT.messages),
        prompt_of("reader", "Busca!", PROMPT.messages),
        prompt_of("reader", PROMPT.system, [*PROMPT.messages, {"role": "assistant", "content": "30"}]),
        prompt_of("reader", PROMPT.system, [{"role": "assistant", "content": "¿Cuántas vacaciones?"}]),
    ],
)
def test_role_system_and_messages_are_part_of_the_name(other):
    assert other.hash != PROMPT.hash


def test_stored_replies_keep_their_final_line_breaks(folder):
    recording = Recording.read(folder)
    assert recording.manifest == MANIFEST
    assert recording.reply_to(PROMPT) == '["vacaciones"]\n'
    assert json.loads((folder / "prompts" / f"{HASH}.json").read_text(encoding="utf-8")) == PROMPT.model_dump(
        mode="json"
    )
    assert (list(recording.asked), recording.missing, recording.stale) == ([HASH], {}, [])


def test_a_prompt_without_reply_waits_until_somebody_writes_it(folder):
    recording = Recording.read(folder)
    assert recording.reply_to(OTHER) is None
    missing = recording.wait_for(OTHER)
    assert (missing.hash, missing.role) == (OTHER.hash, "principal")
    assert f"replies/{OTHER.hash}.txt" in str(missing)
    waiting = folder / "waiting" / f"{OTHER.hash}.md"
    text = waiting.read_text(encoding="utf-8")
    assert "## system\n\nResponde.\n" in text
    assert "## user\n\n¿Cuántas vacaciones?\n" in text
    assert (recording.missing, recording.stale) == ({OTHER.hash: "principal"}, [HASH])
    recording.end()
    assert waiting.exists()

    # Written by hand, with the mark that some editors put before a text.
    (folder / "replies" / f"{OTHER.hash}.txt").write_bytes(b"\xef\xbb\xbf" + "Son 30 días.".encode())
    again = Recording.read(folder)
    assert again.reply_to(OTHER) == "Son 30 días."
    again.end()
    assert not waiting.exists()


def test_a_file_that_is_still_empty_is_no_reply(folder):
    (folder / "replies" / f"{HASH}.txt").write_text(" \n")
    assert Recording.read(folder).reply_to(PROMPT) is None


def test_prompts_of_earlier_runs_wait_no_longer(folder):
    earlier = Recording.read(folder)
    earlier.wait_for(OTHER)
    later = Recording.read(folder)
    later.reply_to(PROMPT)
    later.end()
    assert list((folder / "waiting").iterdir()) == []
    assert (folder / "prompts" / f"{OTHER.hash}.json").exists()


def test_a_folder_that_is_empty_or_not_there_begins_a_recording(tmp_path):
    assert Recording.read(tmp_path).manifest is None
    assert Recording.read(tmp_path / "nueva").manifest is None
    assert not (tmp_path / "nueva").exists()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("recording.json", b"{", "recording.json está dañado"),
        ("recording.json", b'{"version": 2}', "recording.json está dañado (campo «version»)"),
        ("prompts/0123456789abcdef.json", b"{}", "0123456789abcdef.json está dañado: no es una consulta"),
        ("prompts/0123456789abcdef.json", b"[", "0123456789abcdef.json está dañado: no es una consulta"),
        ("prompts/0123456789abcdef.json", b"\xff", "0123456789abcdef.json no está en UTF-8"),
        (
            "prompts/0123456789abcdef.json",
            json.dumps(PROMPT.model_dump(mode="json")).encode(),
            f"no contiene la consulta de su nombre, sino la de {HASH}",
        ),
        (f"replies/{HASH}.txt", b"\xff\xfe", f"{HASH}.txt no está en UTF-8"),
    ],
)
def test_a_damaged_file_is_named(folder, file, content, said):
    (folder / file).write_bytes(content)
    with pytest.raises(InvalidInput) as told:
        Recording.read(folder)
    assert said in str(told.value)


def test_a_folder_of_something_else_is_no_recording(tmp_path):
    (tmp_path / "carta.txt").write_text("x")
    with pytest.raises(InvalidInput, match=r"no es una grabación: no tiene recording\.json"):
        Recording.read(tmp_path)
    with pytest.raises(InvalidInput, match=r"No se puede leer la grabación|no es una grabación"):
        Recording.read(tmp_path / "carta.txt")


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "fichero").write_text("")
    with pytest.raises(InvalidInput, match="No se puede escribir en"):
        Recording(tmp_path / "fichero" / "dentro", None, {}).begin(MANIFEST)
