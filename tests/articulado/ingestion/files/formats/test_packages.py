"""Packed files that hold more than they seem to."""

import io
import struct
import zipfile
from pathlib import Path

import docx
import pytest

from articulado.config.files import MIB, Limits, limited
from articulado.ingestion.files.formats import docx as word
from articulado.values.errors import InvalidInput


def document(*paragraphs: str) -> bytes:
    written, stream = docx.Document(), io.BytesIO()
    for paragraph in paragraphs:
        written.add_paragraph(paragraph)
    written.save(stream)
    return stream.getvalue()


def with_size_named(data: bytes, name: str, size: int) -> bytes:
    """Return a ZIP whose directory says that an entry has another size, unpacked."""
    entry = data.index(name.encode(), data.index(b"PK\x01\x02")) - 46
    return data[: entry + 24] + struct.pack("<L", size) + data[entry + 28 :]


def test_zip_directory_above_the_limit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomba.docx"
    file.write_bytes(document("a" * 3 * MIB))
    assert file.stat().st_size < MIB // 10
    assert word.read(file).pages[0].paragraphs == ("a" * 3 * MIB,)
    says = r"bomba\.docx» ocupa 3,\d MiB, ya descomprimido, y se leen como mucho 2,0\..*ARTICULADO_READ_UNPACKED"
    with limited(Limits(unpacked=2 * MIB)), pytest.raises(InvalidInput, match=says):
        word.read(file)


def test_zip_directory_that_understates_sizes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "miente.docx"
    file.write_bytes(with_size_named(document("a" * 3 * MIB), "word/document.xml", 100))
    with zipfile.ZipFile(file) as package:
        assert package.getinfo("word/document.xml").file_size == 100
    with pytest.raises(InvalidInput, match="lo que contiene no es lo que dice contener"):
        word.read(file)


def test_file_above_the_limit_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "grande.docx"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(InvalidInput, match=r"ocupa 1\.048\.576 MiB.*como mucho 256"):
        word.read(file)
