"""Name a document where its header does not: its id, title and kind."""

import re
import unicodedata
from hashlib import blake2b
from pathlib import Path

from articulado.language.folding import fold, without_accents
from ingestion.files.header import DocumentType, Header
from ingestion.files.running_text import RunningText
from ingestion.files.titles import first_line, is_made_up, printed_title

KINDS: dict[DocumentType, str] = {
    "ruling": "sentencia",
    "criterion": "criterio",
    "document": "documento",
    "law": "documento",
    "agreement": "convenio",
}
COLLECTIONS: dict[DocumentType, str] = {
    "ruling": "sentencias",
    "criterion": "criterios_inss",
    "document": "documentos",
    "law": "documentos",
    "agreement": "documentos",
}
_NORMS = (
    ("ley_organica", "ley organica"),
    ("ley", "ley "),
    ("real_decreto_legislativo", "real decreto legislativo"),
    ("real_decreto_ley", "real decreto-ley"),
    ("real_decreto", "real decreto"),
    ("orden", "orden "),
    ("resolucion", "resolucion "),
    ("instruccion", "instruccion "),
    ("circular", "circular "),
)


def id_of(header: Header, text: RunningText, path: Path) -> str:
    """Return the ECLI, else the header's own id, else a slug of kind, number and date, else of the file's name.

    To the name of the file a digest of the text is added: a file that moves keeps its id, and two that are called the
    same in different folders have their own.
    """
    if official := header.ecli or header.id:
        return official
    if header.number:
        day = header.day.isoformat() if header.day else ""
        return slug(" ".join((KINDS[header.document_type], header.number, day)))
    return f"{slug(path.stem)}-{_digest(text.text)}"


def slug(name: str) -> str:
    """Return a name in small ASCII letters, digits and hyphens, the same for composed and decomposed accents.

    Where that loses letters (of another alphabet), a digest of the name keeps it apart from others.

    >>> slug("Convenio Oficinas y Despachos (Málaga) 2024")
    'convenio-oficinas-y-despachos-malaga-2024'
    """
    name = unicodedata.normalize("NFC", name)
    plain = without_accents(unicodedata.normalize("NFKC", name.lower()))
    ascii_only = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if ascii_only and all(letter.isascii() for letter in plain if letter.isalpha()):
        return ascii_only
    return f"{ascii_only}-{_digest(name)}".lstrip("-")


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=4).hexdigest()


def title_of(header: Header, text: RunningText, path: Path, own: str = "") -> str:
    """Return the header's title, else the one that is printed, else the file's ``own``, its first line, or its name."""
    paragraphs = [paragraph for _, paragraph in text.paragraphs()]
    title = header.title or printed_title(paragraphs) or ("" if is_made_up(own) else own) or first_line(paragraphs)
    return title or " ".join(re.split(r"[\s_-]+", unicodedata.normalize("NFC", path.stem))).strip()


def norm_of(header: Header, title: str) -> str:
    """Return the kind of norm of a structured text: the header's, else what its title says, else "documento"."""
    folded = fold(title)
    if "convenio colectivo" in folded or header.document_type == "agreement":
        return header.kind or "convenio"
    return header.kind or next((kind for kind, name in _NORMS if folded.startswith(name)), "documento")
