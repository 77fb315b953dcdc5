"""Names for the code and the data that decide what an index is made of: they change when a file does."""

from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path

_KINDS = (".py", ".toml", ".txt", ".md", ".jsonl")


@cache
def code_digest() -> str:
    """Name the code and the data that decide how documents are read, cut and linked: a change of it reads all anew."""
    return _digest("legal", "ingestion")


@cache
def corpus_digest() -> str:
    """Name the packaged records, and the code and the data that make points of them, without reading one."""
    records = [f"corpus/{folder}" for folder in ("normativa", "sin_contenido", "sentencias", "criterios_inss")]
    return _digest("legal", *records, "services/corpus.py", "services/packaged.py", "ingestion/indexing")


def _digest(*names: str) -> str:
    """Return 32 hexadecimal digits of files and of all files below folders; a name begins with its room."""
    hashed = blake2b(digest_size=16)
    for name in names:
        room, _, rest = name.partition("/")
        root = Path(str(resources.files(room)))
        place = root / rest
        files = [place] if place.is_file() else sorted(one for one in place.rglob("*") if one.suffix in _KINDS)
        for file in files:
            hashed.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return hashed.hexdigest()
