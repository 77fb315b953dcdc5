"""The log of an update in place: what it keeps, and what it makes of a log that a kill has damaged."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.store.pending import PENDING, PendingLog
from state.errors import ConfigurationError


def test_what_was_noted_is_read_by_generation(tmp_path: Path) -> None:
    log = PendingLog(tmp_path)
    assert log.read("A") == {}
    log.note("A", {"normativa": [3, 2**53 - 1], "sentencias": [5]})
    log.note("B", {"normativa": [4]})
    log.note("A", {"normativa": [3, 6]})
    assert PendingLog(tmp_path).read("A") == {3: "normativa", 2**53 - 1: "normativa", 5: "sentencias", 6: "normativa"}
    assert log.read("B") == {4: "normativa"}
    log.clear()
    assert log.read("A") == log.read("B") == {}
    log.clear()


@pytest.mark.parametrize("length", range(1, 49))
def test_what_follows_a_line_that_was_cut_off_is_kept(tmp_path: Path, length: int) -> None:
    log = PendingLog(tmp_path)
    log.note("A", {"normativa": [1]})
    whole = (tmp_path / PENDING).read_bytes()
    log.note("A", {"normativa": [2, 3]})
    line = (tmp_path / PENDING).read_bytes()[len(whole) :]
    assert length < len(line)
    (tmp_path / PENDING).write_bytes(whole + line[:length])
    assert log.read("A") == {1: "normativa"}
    log.note("A", {"sentencias": [4]})
    assert log.read("A") == {1: "normativa", 4: "sentencias"}


@given(st.binary(max_size=60))
def test_any_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, damage: bytes) -> None:
    folder = tmp_path_factory.mktemp("log")
    (folder / PENDING).write_bytes(damage)
    log = PendingLog(folder)
    log.read("A")
    log.note("A", {"normativa": [7]})
    assert log.read("A")[7] == "normativa"


@pytest.mark.parametrize("line", ["7", "[]", "null", '{"stored_as": "A"}', '{"stored_as": "A", "ids": {"n": [null]}}'])
def test_lines_of_another_shape_are_left_out(tmp_path: Path, line: str) -> None:
    (tmp_path / PENDING).write_text(f'{line}\n{{"stored_as": "A", "ids": {{"normativa": [7]}}}}\n')
    assert PendingLog(tmp_path).read("A") == {7: "normativa"}


def test_a_log_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / PENDING).mkdir()
    with pytest.raises(ConfigurationError, match="carpeta del índice"):
        PendingLog(tmp_path).note("A", {"normativa": [1]})
