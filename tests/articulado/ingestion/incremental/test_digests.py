import pytest
from support.small_articles import BRINGS_ALONG, write_article, write_profile

from articulado.config.profile import load_profile
from articulado.ingestion.incremental import base as digests


@pytest.fixture
def rooms(tmp_path, monkeypatch):
    """Rooms of our own in place of the packages."""
    for name in (
        "articulado/language/numerals.py",
        "articulado/legal/data/laws.toml",
        "articulado/ingestion/read.py",
        "corpus/normativa/law.jsonl",
        "articulado/store/records/schema.py",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("one")
    (tmp_path / "articulado" / "packaged.py").write_text("one")
    (tmp_path / "articulado" / "other.py").write_text("one")
    monkeypatch.setattr(digests.resources, "files", lambda room: tmp_path / room)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "code", "corpus"),
    [
        ("articulado/language/numerals.py", True, True),
        ("articulado/legal/data/laws.toml", True, True),
        ("articulado/ingestion/read.py", True, False),
        ("nodes/ingest/link.py", True, False),
        ("articulado/retrieval/search.py", False, False),
        ("articulado/ingestion/indexing/changes.py", True, True),
        ("corpus/README.md", False, False),
        ("corpus/normativa/law.jsonl", False, True),
        ("corpus/fichas/en/pay.toml", False, True),
        ("articulado/store/records/chunks.py", False, True),
        ("articulado/other.py", False, False),
        ("articulado/legal/__pycache__/x.pyc", False, False),
    ],
)
def test_digest_changes_with_its_inputs(rooms, file, code, corpus):
    before = digests.code_digest.__wrapped__(), digests.corpus_digest.__wrapped__()
    (rooms / file).parent.mkdir(parents=True, exist_ok=True)
    (rooms / file).write_text("two")
    after = digests.code_digest.__wrapped__(), digests.corpus_digest.__wrapped__()
    assert (before[0] != after[0], before[1] != after[1]) == (code, corpus)


def test_a_file_that_moves_counts_too(rooms):
    before = digests.corpus_digest.__wrapped__()
    (rooms / "corpus/normativa/law.jsonl").rename(rooms / "corpus/normativa/other.jsonl")
    assert digests.corpus_digest.__wrapped__() != before


def test_profile_digest_covers_fields_and_articles(tmp_path):
    def name(folder=tmp_path / "one", more=""):
        return digests.profile_digest(load_profile(str(write_profile(folder, BRINGS_ALONG + more))))

    empty = name()
    write_article(tmp_path / "one" / "garden" / "articles" / "a.article.yaml")
    before = name()
    assert before != empty
    write_article(tmp_path / "two" / "garden" / "articles" / "a.article.yaml")
    assert name(tmp_path / "two") == before, "wherever it is"
    assert name(more="\n[ranks]\narticle = 2\n") != before
    assert name(more="\n[search.fusion.offline]\nk = 5\n") == before, "how it is searched is in no index"
    (tmp_path / "one" / "garden" / "articles" / "notes.md").write_text("x")
    assert name() == before
    write_article(tmp_path / "one" / "garden" / "articles" / "a.article.yaml", title="Other")
    assert name() != before
