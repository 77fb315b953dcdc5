"""The articles of the packaged profiles: all of them can be read, and what is always shown is small."""

import pytest

from articulado.config.profile import load_profile
from articulado.guides.chunks import cut_article
from articulado.ingestion.files.header import is_article
from articulado.models.tokens import token_counter

PROFILES = ("plan_401k", "laboral")
MIN_ARTICLES = 12
MAX_CRITICAL = 590  # estimated tokens, about 500 of o200k_base
MAX_REQUIRED = 475  # about 425
FILES = [
    pytest.param(name, file, id=f"{name}-{file.name.partition('.')[0]}")
    for name in PROFILES
    for file in sorted((load_profile(name).articles).glob("*"))
    if is_article(file)
]


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_brings_articles_along(name):
    assert sum(param.values[0] == name for param in FILES) >= MIN_ARTICLES


@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_packaged_article_is_sound_and_small_enough(name, file):
    article, counter = cut_article(file, load_profile(name)), token_counter("gpt-4o-mini")
    assert file.name == f"{article.id}.article.yaml"

    def tokens(chunks):
        return sum(counter.count(f"{chunk['title']}\n{chunk['text']}") for chunk in chunks)

    assert tokens(one for one in article.chunks if one["tier"] == "CRITICAL") <= MAX_CRITICAL
    assert tokens(one for one in article.chunks if one["chunk_type"] == "required_data") <= MAX_REQUIRED
    types = {one["chunk_type"] for one in article.chunks}
    assert {"required_data", "decision_guide", "response_frames", "guardrails", "steps"} <= types
    assert len(article.lay_phrasings) == len(article.chunks)
