"""Chunks in, a generation of the index out: fit or call the embedder, encode, write, describe."""

from collections.abc import Callable, Mapping, Sequence

from ingestion.indexed_text import indexed_text
from services.factory import CHUNKER, document_embedder
from services.lexicon import Lexicon
from services.profile import load_profile
from services.protocols import Embedder
from services.settings import Settings
from services.sparse import Bm25Encoder
from services.store.builder import IndexBuilder
from services.store.manifest import Description, Fingerprints
from state.chunks import Chunk

BATCH = 256

Progress = Callable[[str, int, int], None]
"""Told the step ("vectores"), what is done and what there is to do: 0 where a step cannot count."""


async def write_chunks(
    builder: IndexBuilder,
    chunks: Sequence[Chunk],
    settings: Settings,
    *,
    source: str,
    extra_text: Mapping[int, str] | None = None,
    chunker: str = CHUNKER,
    demo: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> Description:
    """Index chunks and return the description to commit.

    ``extra_text`` is searched beside a chunk, by its id, and never shown.
    """
    extra = extra_text or {}
    texts = [f"{indexed_text(chunk)}\n{extra.get(chunk['id'], '')}" for chunk in chunks]
    progress("Analizando el vocabulario", 0, 0)
    embedder = document_embedder(settings)
    if embedder is None:
        embedder = fitted(texts, settings, builder)
    else:
        Lexicon.build(texts).save(builder.models)
    sparse = Bm25Encoder()
    try:
        for start in range(0, len(chunks), BATCH):
            batch = texts[start : start + BATCH]
            dense = await embedder.embed_documents(batch)
            await builder.add(
                chunks[start : start + BATCH],
                [vector if vector.any() else None for vector in dense.vectors],
                sparse.encode_documents(batch),
            )
            progress("Indexando fragmentos", min(start + BATCH, len(chunks)), len(chunks))
    finally:
        await embedder.close()
    profile = load_profile(settings.profile)
    return Description(
        fingerprints=Fingerprints(embedder=embedder.fingerprint, sparse=sparse.fingerprint, chunker=chunker),
        profile=profile.name,
        language=profile.language,
        source=source,
        demo=demo,
    )


def fitted(texts: Sequence[str], settings: Settings, builder: IndexBuilder) -> Embedder:
    """Fit the offline embedder to the texts and store it with the index, its lexicon too."""
    from services.lsa import LsaEmbedder

    embedder = LsaEmbedder.fit(texts, settings.lsa_dimensions)
    embedder.save(builder.models)
    return embedder
