"""An article of a profile, found by what people call it."""

import pytest
from support.small_articles import BRINGS_ALONG, write_article, write_profile

from articulado.config.profile import load_profile
from articulado.ingestion.bundled import article_named


@pytest.fixture
def folder(tmp_path):
    write_article(tmp_path / "garden" / "articles" / "roses.article.yaml", title="It's the rose: " + "long " * 30)
    (tmp_path / "garden" / "articles" / "broken.article.yaml").write_text("id: [")
    (tmp_path / "garden" / "articles" / "list.article.yaml").write_text("- one")
    (tmp_path / "garden" / "articles" / "notes.yaml").write_text("id: notes")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("dry-zone-pruning", "roses.article.yaml"),
        (" Dry-Zone-Pruning ", "roses.article.yaml"),
        ("it's the ROSE: " + "long " * 30, "roses.article.yaml"),
        ("roses.article.yaml", "roses.article.yaml"),
        ("broken.article.yaml", "broken.article.yaml"),
        ("list", "list.article.yaml"),
        ("notes", ""),
        ("roses", ""),
        ("", ""),
    ],
)
def test_article_is_found_by_id_title_and_file(folder, text, file):
    found = article_named(load_profile(str(write_profile(folder, BRINGS_ALONG))), text)
    assert (found.file.name if found else "") == file


def test_profile_without_articles_finds_none(folder):
    assert article_named(load_profile(str(write_profile(folder))), "dry-zone-pruning") is None
