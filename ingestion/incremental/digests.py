"""Digests of the code and the data that decide what an index is made of: they change when a file does."""

from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path

from articulado.config.profile import Profile
from ingestion.files.formats.source import is_article
from ingestion.fingerprints import CHUNKER

_SUFFIXES = (".py", ".toml", ".txt", ".md", ".jsonl")


@cache
def code_digest() -> str:
    """Return the digest of what decides how documents are read, cut and linked; where it changes, all are read anew."""
    return _digest("articulado/language", "articulado/legal", "ingestion", "articulado/guides", "nodes/ingest")


@cache
def corpus_digest() -> str:
    """Return the digest of the packaged records, and of the code and the data that make points of them."""
    records = [f"corpus/{folder}" for folder in ("normativa", "sin_contenido", "sentencias", "criterios_inss")]
    code = (
        "articulado/store/records",
        "ingestion/bundled.py",
        "ingestion/links",
        "ingestion/indexing",
        "articulado/guides",
    )
    return _digest("articulado/language", "articulado/legal", *records, *code)


def profile_digest(profile: Profile) -> str:
    """Return the digest of what a profile says and of its articles.

    Where its file is does not count, nor how it is searched: no index depends on these.
    """
    hashed = blake2b(profile.model_dump_json(exclude={"folder", "search"}).encode(), digest_size=16)
    folder = profile.articles
    for file in sorted(filter(is_article, folder.iterdir())) if folder and folder.is_dir() else ():
        hashed.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()


def _digest(*names: str) -> str:
    """Return 32 hexadecimal digits for files and all files below folders, each named from its top-level package on."""
    hashed = blake2b(digest_size=16)
    for name in names:
        package, _, rest = name.partition("/")
        root = Path(str(resources.files(package)))
        path = root / rest
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES)
        for file in files:
            hashed.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return hashed.hexdigest()


def chunker_of(profile: Profile) -> str:
    """Return the fingerprint of how a first index is made: by the code, of what the package and the profile bring."""
    return f"{CHUNKER}:{corpus_digest()}:{profile_digest(profile)}"
