"""The encoder of an index: a copy of the packaged one for Spanish law, else one that is taught its own texts."""

import numpy as np
import pytest
from support.doubles import make_chunk
from support.small_articles import write_profile

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder, packaged_encoder
from articulado.encoders.training import BATCH, EPOCHS
from articulado.ingestion.bundled import bundled_articles
from articulado.ingestion.index_models import IndexModels, expected_fingerprints
from articulado.ingestion.indexing.build import MIN_STEPS, save_words, training_pairs_of, write_changes, write_entries
from articulado.ingestion.indexing.changes import Change, WordStatistics, entries_of
from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.builder import IndexBuilder
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Description, Index
from articulado.store.records.schema import load_general_matters
from articulado.values.chunks import indexed_text
from articulado.values.errors import IndexMissing
from graph.factory import build_ingest_services, build_services

EN = PlainDomain(language("en"))


def page(number, law, title, text):
    return make_chunk(
        number, title, law_id=law, law_name=law, breadcrumb="", title=title, text=text, provision_key=f"{law}#{number}"
    )


LOANS = [
    page(1, "loans", "Loan terms", "A loan is repaid through payroll within five years."),
    page(2, "loans", "Loan fees", "A fee of $75 is taken from the loan."),
]
VESTING = [page(3, "vesting", "Vesting schedule", "Employer money vests over six years of service.")]
DIVORCE = [
    page(4, "qdro", "Dividing an account", "A court order divides the account between spouses."),
    page(5, "qdro", "Alternate payee", "The spouse named in the order is the alternate payee."),
]
BORROW = "Can I borrow money?\nborrowing against my account"
SPLIT = "my ex wants half\nmy ex and her lawyer"
PARENTS = [*LOANS, *VESTING, *DIVORCE]
SPOKEN = {1: BORROW, 2: BORROW, 4: SPLIT, 5: SPLIT}


def entries(parents=PARENTS, spoken=SPOKEN):
    return list(entries_of(parents, spoken, "breadcrumb", {}))


@pytest.fixture
def profile(tmp_path):
    return load_profile(str(write_profile(tmp_path)))


def test_inquiry_leads_to_all_chunks_with_the_same_phrasings(profile):
    training_pairs = training_pairs_of(entries(), profile)
    texts = [indexed_text(chunk) for chunk in PARENTS]
    assert training_pairs.documents[:7] == [*texts, "\n".join(texts[:2]), "\n".join(texts[3:])]
    assert training_pairs.questions[:4] == [
        ("Can I borrow money?", 5),
        ("borrowing against my account", 5),
        ("my ex wants half", 6),
        ("my ex and her lawyer", 6),
    ]
    assert all(answer >= 7 for _, answer in training_pairs.questions[4:])


def test_frequent_questions_of_an_article_lead_to_it_too(profile):
    faq = {**LOANS[1], "details": {"faqs": [{"question": "Is there a fee?", "answer": "Yes"}]}}
    training_pairs = training_pairs_of(entries([LOANS[0], faq], {1: BORROW, 2: BORROW}), profile)
    assert training_pairs.questions[:3] == [
        ("Can I borrow money?", 2),
        ("borrowing against my account", 2),
        ("Is there a fee?", 2),
    ]


def test_outside_and_general_matters_are_training_data(profile):
    profile.own_folder.mkdir()
    matters = '[[matters]]\nname = "Bees"\ninquiries = ["a swarm", "a hive"]\n\n[[matters]]\nname = "Wasps"\n'
    matters += 'inquiries = ["a nest"]\ntexts = ["Call us."]\n'
    (profile.own_folder / "outside.toml").write_text(matters, encoding="utf-8")
    training_pairs = training_pairs_of(entries(spoken={}), profile)
    assert training_pairs.documents[5:7] == ["Bees\na swarm\na hive", "Wasps\nCall us."]
    assert training_pairs.questions[:3] == [("a swarm", 5), ("a hive", 5), ("a nest", 6)]
    general = load_general_matters("en")
    assert training_pairs.documents[7:] == [f"{matter.title}\n{matter.text}" for matter in general]
    expected = [(inquiry, 7 + place) for place, matter in enumerate(general) for inquiry in matter.inquiries]
    assert training_pairs.questions[3:] == expected


def test_small_training_sets_get_more_epochs(profile):
    few = training_pairs_of(entries(), profile)
    batches = -(-len(few.questions) // BATCH)
    assert few.epochs * batches >= MIN_STEPS > (few.epochs - 1) * batches
    spoken = {1: "\n".join(f"question {number}" for number in range(BATCH * MIN_STEPS))}
    assert training_pairs_of(entries(spoken=spoken), profile).epochs == EPOCHS


@pytest.fixture
def settings(tmp_path):
    return Settings.read(env_file=None, home=tmp_path, profile="plan_401k")


async def built(settings, given, base=None):
    profile = load_profile(settings.profile)
    async with (
        build_ingest_services(settings, profile) as services,
        IndexBuilder(settings.index_folder, EmbeddedWriter) as builder,
    ):
        models = IndexModels(settings, profile, services.embedder)
        if base is None:
            await write_entries(builder, given, models)
        else:
            await builder.continue_from(base)
            await write_changes(builder, iter([Change(given, [])]), models, expected=len(given))
            save_words(WordStatistics(profile, models.domain).of(given), profile, builder.models)
        fingerprints = expected_fingerprints(settings, profile)
        return await builder.commit(
            Description(fingerprints=fingerprints, profile="p", language="en", source="", documents={})
        )


async def test_an_index_of_another_field_has_an_encoder_of_its_own(settings):
    index: Index = await built(settings, entries())
    profile = load_profile(settings.profile)
    expected = expected_fingerprints(settings, profile)
    encoder = DualEncoder.load(index.models)
    assert encoder.domain == EN
    assert encoder.fingerprint == expected.embedder == f"fitted:192:{EN.language.fingerprint}"
    assert Lexicon.load(index.models).frequencies["loan"] == 2
    # Nothing of what is asked stands in the text that answers it.
    asked = encoder.embed_question("is borrowing possible?")
    cosines = [float(asked @ vector) for vector in encoder.embed_all([indexed_text(chunk) for chunk in PARENTS])]
    assert min(cosines[:2]) > max(cosines[2:]) + 0.05
    services = build_services(settings, profile, index)
    try:
        assert services.embedder.fingerprint == encoder.fingerprint
        assert services.language is EN.language
        assert services.sparse.fingerprint == expected.sparse
        assert services.records.lookup("despido y vacaciones", [], 9) == []
    finally:
        await services.close()


async def test_an_update_keeps_the_encoder_and_counts_the_words(settings):
    first = await built(settings, entries())
    more = [*PARENTS, *(page(number, "pizza", "Pizza", f"Mushroom pizza {number}.") for number in (6, 7))]
    second = await built(settings, entries(more), base=first)
    assert (second.models / "dual-encoder.npz").read_bytes() == (first.models / "dual-encoder.npz").read_bytes()
    kept = DualEncoder.load(second.models)
    third = await built(settings, entries(more))
    assert (second.models / "lexicon.json").read_bytes() == (third.models / "lexicon.json").read_bytes()
    anew = DualEncoder.load(third.models)
    assert "mushroom" not in kept.vocabulary.stems
    assert "mushroom" in anew.vocabulary.stems
    assert anew.fingerprint == kept.fingerprint


async def test_an_index_of_spanish_law_has_the_packaged_encoder(tmp_path):
    settings = Settings.read(env_file=None, home=tmp_path, offline_dimensions=16)
    parent = make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.")
    index = await built(settings, entries([parent], {1: "¿cuándo libro?"}))
    assert DualEncoder.load(index.models).fingerprint == packaged_encoder(16).fingerprint
    assert expected_fingerprints(settings, load_profile("laboral")).embedder == packaged_encoder(16).fingerprint


def test_the_encoder_of_the_package_is_of_spanish_law():
    assert packaged_encoder().domain is SPANISH_LAW


def test_an_encoder_keeps_its_field_and_one_of_an_unknown_field_is_damaged(tmp_path, profile):
    encoder = DualEncoder.fit(training_pairs_of(entries(), profile), 8, EN)
    assert (encoder.reduced(4).domain, encoder.rotated(["loan fee", "court order"]).domain) == (EN, EN)
    encoder.save(tmp_path)
    with np.load(tmp_path / "dual-encoder.npz") as file:
        stored = dict(file)
    np.savez(tmp_path / "dual-encoder.npz", **{**stored, "field": np.array("latin")})
    with pytest.raises(IndexMissing, match="dañado"):
        DualEncoder.load(tmp_path)


async def test_held_out_inquiries_find_their_topic_on_real_articles():
    """A third of the inquiries is kept back; another article on the same topic (of another provider) is right, too."""
    profile = load_profile("plan_401k")
    articles = bundled_articles(profile)
    spoken, kept_back = {}, []
    for article in articles:
        lines = next(iter(article.lay_phrasings.values())).splitlines()
        kept_back += [(line, article.chunks[0]["topic"]) for line in lines[::3]]
        shown = "\n".join(line for place, line in enumerate(lines) if place % 3)
        spoken |= dict.fromkeys(article.lay_phrasings, shown)
    chunks = [chunk for article in articles for chunk in article.chunks]
    encoder = DualEncoder.fit(training_pairs_of(entries(chunks, spoken), profile), 192, EN)
    vectors = np.stack(encoder.embed_all([indexed_text(chunk) for chunk in chunks]))
    right, margins = 0, []
    for question, topic in kept_back:
        cosines = vectors @ encoder.embed_question(question)
        of_topic = np.array([chunk["topic"] == topic for chunk in chunks])
        right += cosines[of_topic].max() > cosines[~of_topic].max()
        margins.append(cosines[of_topic].mean() - cosines[~of_topic].mean())
    assert right / len(kept_back) > 0.7
    assert np.mean(margins) > 0.1
