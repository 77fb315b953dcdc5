"""What comes with the package and goes into an index beside documents: decisions, and the profile's articles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ingestion.articles.bundled import bundled_articles
from ingestion.articles.chunks import ArticleChunks
from ingestion.links.references import interpreted
from ingestion.packaged import rulings_and_criteria
from services.corpus.chunks import places_of
from services.profile.profile import Profile
from state.articles import details_of
from state.chunks import Chunk


@dataclass(frozen=True)
class Beside:
    """Chunks, and how people ask about them, by id: it is found by that, and never shown."""

    chunks: list[Chunk] = field(default_factory=list)
    spoken: dict[int, str] = field(default_factory=dict)


def beside_documents(parents: Sequence[Chunk], profile: Profile) -> Beside:
    """Return what a profile puts beside documents; of a document that is among them, theirs is the one that counts.

    Raises:
        ConfigurationError: what comes along breaks its schema.
    """
    held = {(chunk["collection"], chunk["law_id"]) for chunk in parents}
    decisions = rulings_and_criteria(parents) if profile.features.records else []
    articles = [one for one in bundled_articles(profile) if (one.collection, one.id) not in held]
    found = articles_of(articles, parents)
    kept = [chunk for chunk in decisions if (chunk["collection"], chunk["law_id"]) not in held]
    return Beside([*kept, *found.chunks], found.spoken)


def articles_of(articles: Iterable[ArticleChunks], provisions: Sequence[Chunk]) -> Beside:
    """Return the chunks of articles, with references to those of ``provisions`` that they rest on."""
    articles = list(articles)
    chunks = [chunk for article in articles for chunk in article.chunks]
    wanted = {chunk["id"]: rests_on(chunk) for chunk in chunks}
    ids = interpreted({place for places in wanted.values() for place in places}, provisions)
    return Beside(
        [{**chunk, "refs": [ids[place] for place in wanted[chunk["id"]] if place in ids]} for chunk in chunks],
        {one: said for article in articles for one, said in article.spoken.items()},
    )


def rests_on(chunk: Chunk) -> list[tuple[str, str]]:
    """Return law and key of the provisions that a chunk of an article names; none for any other chunk."""
    return list(dict.fromkeys(places_of(details_of(chunk).get("provisions", []))))
