"""Names for the code and the data that decide what an index is made of: they change when a file does."""

from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path

from ingestion.files.formats.source import is_article
from services.profile.profile import Profile

_KINDS = (".py", ".toml", ".txt", ".md", ".jsonl")


@cache
def code_digest() -> str:
    """Name the code and the data that decide how documents are read, cut and linked: a change of it reads all anew."""
    return _digest("language", "legal", "ingestion", "nodes/ingest")


@cache
def corpus_digest() -> str:
    """Name the packaged records, and the code and the data that make points of them, without reading one."""
    records = [f"corpus/{folder}" for folder in ("normativa", "sin_contenido", "sentencias", "criterios_inss")]
    code = ("services/corpus", "ingestion/indexing", "ingestion/articles")
    return _digest("language", "legal", *records, *code)


def profile_digest(profile: Profile) -> str:
    """Name what a profile says, and the articles that it brings along; where its file is does not count."""
    hashed = blake2b(profile.model_dump_json(exclude={"folder"}).encode(), digest_size=16)
    folder = profile.articles
    for file in sorted(one for one in folder.iterdir() if is_article(one)) if folder and folder.is_dir() else ():
        hashed.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()


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
