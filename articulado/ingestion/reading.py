"""Read one document from its files, and cut it into parent chunks, in a worker process with local imports."""

import asyncio
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from pathlib import Path

import numpy as np

from articulado.config.profile import Profile
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.files.header import is_article
from articulado.ingestion.incremental.base import Staged
from articulado.ingestion.index_models import IndexModels
from articulado.ingestion.model import Document, Law
from articulado.ingestion.sources import is_loose, text_files
from articulado.ingestion.worker import workers
from articulado.language.folding import fold
from articulado.language.translation import translate
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk, page_of
from articulado.values.documents import Failure, OwnPassage, OwnReading, Source
from articulado.values.errors import InvalidInput
from articulado.values.protocols import Vector

BY_KIND = ("normativa", "sentencias", "criterios_inss", "documentos")
"""Collections of documents by kind; if a profile lacks one, its documents join the articles."""


def read_files(files: Sequence[Path], profile: Profile, law: bool, cut: bool) -> Staged | Document:
    """Read the files of one document (texts of a ``law``) and cut it; running text stays whole unless ``cut``."""
    if is_article(files[0]):
        return _read_article(files[0], profile)

    from articulado.guides.chunks import article_collection

    skipped: list[Failure] = []
    if law:
        document: Law | Document = _read_law(files, skipped)
    else:
        from articulado.ingestion.files.reader import read_document

        document = read_document(files[0])
    if document.collection not in profile.names and document.collection in BY_KIND:
        document = replace(document, collection=article_collection(profile))
    if document.collection not in profile.names:
        raise InvalidInput(
            translate(
                "ingest.unknown_collection",
                collection=document.collection,
                name=profile.name,
                names=", ".join(profile.names),
            )
        )
    if isinstance(document, Law):
        known = known_laws().get(document.id)
        return Staged(
            collection=document.collection,
            law_id=document.id,
            title=known.short if known else document.title,
            provisions=len({provision.key for provision in document.provisions}),
            parents=law_chunks(document),
            interprets=[],
            skipped=skipped,
            warnings=list(document.warnings),
        )
    return asyncio.run(_cut_offline(document, profile)) if cut else document


def staged_document(document: Document, parents: list[Chunk]) -> Staged:
    return Staged(
        collection=document.collection,
        law_id=document.id,
        title=document.title,
        provisions=0,
        parents=parents,
        interprets=list(document.interprets),
        skipped=[],
        warnings=list(document.warnings),
    )


async def _cut_offline(document: Document, profile: Profile) -> Staged:
    """Cut running text without a provider, so that its cuts depend on no other document."""
    from articulado.config.profile import domain_of
    from articulado.ingestion.chunking.chunks import document_chunks
    from articulado.ingestion.chunking.semantic import offline_vectors

    embed = partial(offline_vectors, domain=domain_of(profile))
    return staged_document(document, await document_chunks(document, embed, profile.language))


MAX_OWN_CHARACTERS = 1_000_000  # maximum text of a document sent with a question; the rest is cut with a warning
_BEGINNING = 6_000  # characters at the beginning of a document used to detect its kind
_LEAST_CUES = 2  # minimum number of different cues of a kind


def read_own(file: Path, name: str, profile: Profile) -> OwnReading:
    """Read a document that a person asks about; ``name`` is that of the file as sent."""
    from articulado.config.profile import domain_of
    from articulado.ingestion.files.reader import BRIEF_FORMATS, document_of, read_content
    from articulado.language.formats import gaps_in, marks_in

    content = read_content(file)
    document = document_of(file, content)
    if isinstance(document, Law):
        parents, is_agreement = law_chunks(document), document.agreement is not None
    else:
        parents, is_agreement = asyncio.run(_cut_offline(document, profile)).parents, document.agreement is not None
    passages: list[OwnPassage] = []
    room, warnings = MAX_OWN_CHARACTERS, list(document.warnings)
    for parent in parents:
        room -= len(parent["text"])
        if room < 0:
            warnings.append(translate("file.own_cut", passages=len(passages), all=len(parents)))
            break
        title = "" if parent["title"] in (document.title, parent["provision"]) else parent["title"]
        text = parent["text"]
        passages.append({"provision": parent["provision"], "title": title, "text": text, "page": page_of(parent)})
    paragraphs = [paragraph for page in content.pages for paragraph in page.paragraphs]
    text = "\n".join(paragraphs)
    gaps, marks = len(gaps_in(text)), len(marks_in(text))
    cited = {(each.law_id, each.provision_key) for each in domain_of(profile).citations(text) if each.law_id}
    # The first line of a letter is no usable title.
    title = parents[0]["law_name"] if is_agreement or isinstance(document, Law) else file.stem
    return {
        "kind": "agreement" if is_agreement else kind_of_document(text),
        "pages": sum(page.number is not None for page in content.pages),
        "words": len(text.split()),
        "citations": len(cited),
        "gaps": gaps,
        "recognised": marks - gaps,
        "warnings": warnings,
        "can_check": file.suffix.lower() in BRIEF_FORMATS,
        "document": {"name": name, "title": Path(name).stem if title == file.stem else title, "passages": passages},
    }


def kind_of_document(text: str) -> str:
    """Return the kind of document with the most cues at the beginning of a text; "" below two.

    >>> kind_of_document("Recibo individual de salarios. Total devengado: 1.500 euros. Líquido a percibir: 1.200.")
    'payslip'
    """
    beginning = fold(text[:_BEGINNING])
    counts = {kind: sum(cue in beginning for cue in cues) for kind, cues in _document_kinds().items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] >= _LEAST_CUES else ""


@cache
def _document_kinds() -> Mapping[str, Sequence[str]]:
    file = resources.files("articulado.legal").joinpath("data", "document_kinds.toml")
    kinds: Mapping[str, Sequence[str]] = tomllib.loads(file.read_text(encoding="utf-8"))["cues"]
    return {kind: [fold(cue) for cue in cues] for kind, cues in kinds.items()}


def _read_article(file: Path, profile: Profile) -> Staged:
    from articulado.guides.chunks import cut_article

    article = cut_article(file, profile)
    return Staged(
        collection=article.collection,
        law_id=article.id,
        title=article.title,
        provisions=0,
        parents=article.chunks,
        interprets=[],
        skipped=[],
        spoken=article.lay_phrasings,
    )


def _read_law(files: Sequence[Path], skipped: list[Failure]) -> Law:
    """Read a law from its newest text; skip an unreadable file while another can be read."""
    from articulado.ingestion.boe.reader import read_boe
    from articulado.ingestion.history.wordings import Snapshot, merge_snapshots, read_reforms, read_snapshot

    left, errors = list(files), list[InvalidInput]()
    while left:
        texts = text_files(left)
        snapshots: list[Snapshot] = []
        for file in texts:
            try:
                if file.suffix.lower() == ".xml":  # it stands alone
                    return read_boe(file)
                snapshots.append(read_snapshot(file))
            except InvalidInput as error:
                errors.append(error)
                skipped.append({"source": str(file), "reason": str(error)})
                left.remove(file)
        if len(snapshots) == len(texts):
            tables = [table for file in texts if (table := file.with_name("reforms.tsv")).is_file()]
            return merge_snapshots(snapshots, read_reforms(tables[0]) if tables else None)
    raise errors[0]


async def read_source(source: Source, models: IndexModels) -> Staged:
    """Read a document and cut it into parents; only provider requests are made in this process.

    Raises ``InvalidInput`` if none of its files can be read within the limits or the profile lacks its collection,
    ``ModelError`` if a provider's embedder, which finds the cuts of running text, fails.
    """
    files = [Path(file["path"]) for file in source["files"]]
    law = not is_loose(source["files"][0])
    processes = workers(models.settings.read_limits)
    read = await processes.call(read_files, files, models.profile, law, models.embedder is None)
    if isinstance(read, Staged):
        return read

    from articulado.ingestion.chunking.chunks import document_chunks
    from articulado.ingestion.indexing.changes import VectorJournal, vectors_kept

    assert models.embedder is not None
    embedder = models.embedder()

    with VectorJournal(models.settings.home / "vectors.sqlite") as journal:

        async def embed(texts: Sequence[str]) -> Sequence[Vector]:
            kept = await vectors_kept(embedder, journal, texts)
            zero = np.zeros(embedder.dimensions, np.float32)
            return [zero if vector is None else vector for vector in map(kept.get, texts)]

        return staged_document(read, await document_chunks(read, embed, models.profile.language))
