import subprocess
import sys
from functools import cache
from importlib import resources

import pytest
from fastembed.sparse.bm25 import Bm25
from hypothesis import given
from hypothesis import strategies as st

from articulado.encoders.bm25 import AVERAGE_LENGTH, SYNONYM_WEIGHT, B, Bm25Encoder, K
from articulado.language.languages import language
from articulado.language.spanish import stems
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.protocols import SparseVector

ES = language("es")

TEXTS = [
    "Artículo 48 bis. Permiso parental: hasta los 8 años del menor; 47.5 %, fijo-discontinuo, 7.ª edición.",
    "Indemnizacion por despido; INDEMNIZACIÓN, indemnizaciones",
    "¿Cuántos días de vacaciones me corresponden?",
]


def term_ids(text):
    return {Bm25.compute_token_id(stem) for stem in stems(text)}


def test_terms_are_the_stems_of_our_analysis():
    encoder = Bm25Encoder(ES, synonyms=lambda text: ())
    for text, document, query in zip(
        TEXTS, encoder.encode_documents(TEXTS), encoder.encode_queries(TEXTS), strict=True
    ):
        assert set(document.indices) == set(query.indices) == term_ids(text)


def test_weights_follow_the_formula():
    # "indemnizacion" in three forms and "despido": |d| = 4, tf = 3 and 1.
    vector = Bm25Encoder.of(SPANISH_LAW).encode_documents([TEXTS[1]])[0]
    by_term = dict(zip(vector.indices, vector.values, strict=True))
    length = K * (1 - B + B * 4 / AVERAGE_LENGTH)
    assert by_term[Bm25.compute_token_id("indemniz")] == 3 * (K + 1) / (3 + length)
    assert by_term[Bm25.compute_token_id("desped")] == 1 * (K + 1) / (1 + length)


def test_query_terms_weigh_one_and_are_in_ascending_order():
    query = Bm25Encoder(ES, synonyms=lambda text: ()).encode_queries(["despido despido vacaciones permiso nómina"])[0]
    assert query.values == (1.0,) * 4
    assert list(query.indices) == sorted(set(query.indices))


def test_legal_terms_that_a_query_calls_for_weigh_less_than_its_own_words():
    # "Despido" is in three of them: the surest counts, wherever it stands.
    terms = [("despido disciplinario", 0.5), ("faltas", 1.0), ("despido", 0.9), ("despido", 0.2)]
    table = {"me echaron por faltas": terms}
    [query] = Bm25Encoder(ES, synonyms=table.__getitem__).encode_queries(list(table))
    weights = dict(zip(query.indices, query.values, strict=True))
    own, called = Bm25.compute_token_id("falt"), {"desped": 0.9, "disciplinari": 0.5}
    assert weights[own] == 1.0
    for stem, surely in called.items():
        assert weights[Bm25.compute_token_id(stem)] == pytest.approx(SYNONYM_WEIGHT * surely)
    assert list(query.indices) == sorted(weights)


def test_the_legal_synonyms_are_those_of_the_table():
    encoders = Bm25Encoder.of(SPANISH_LAW), Bm25Encoder(ES)
    [query], [plain] = (encoder.encode_queries(["me echaron del trabajo"]) for encoder in encoders)
    assert Bm25.compute_token_id("desped") in set(query.indices) - set(plain.indices)


def test_documents_have_their_own_words_alone():
    text = "me echaron del trabajo"
    [document] = Bm25Encoder.of(SPANISH_LAW).encode_documents([text])
    assert set(document.indices) == term_ids(text)


def test_queries_do_not_mix():
    encoder = Bm25Encoder.of(SPANISH_LAW)
    texts = ["me echaron del trabajo", "", "vacaciones", "me echaron del trabajo"]
    assert encoder.encode_queries(texts) == [encoder.encode_queries([text])[0] for text in texts]


def test_a_text_without_content_gives_an_empty_vector():
    encoder = Bm25Encoder.of(SPANISH_LAW)
    for vector in (*encoder.encode_queries(["¿y eso?", ""]), *encoder.encode_documents(["", "de la"])):
        assert vector.indices == vector.values == ()


def test_decomposed_accents_find_composed_ones():
    encoder = Bm25Encoder.of(SPANISH_LAW)
    assert encoder.encode_queries(["indemnizacio\u0301n"]) == encoder.encode_queries(["indemnización"])


def test_the_fingerprint_needs_no_heavy_import():
    code = (
        "import sys; from articulado.legal.domain.spanish_law import SPANISH_LAW; "
        "from articulado.encoders.bm25 import Bm25Encoder; "
        "print(Bm25Encoder.of(SPANISH_LAW).fingerprint); "
        "assert not {'fastembed', 'scipy', 'sklearn'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == Bm25Encoder.of(SPANISH_LAW).fingerprint
    assert done.stdout.startswith("bm25:")


def test_english_text_has_the_stems_of_english():
    english = language("en")
    encoder, text = Bm25Encoder(english), "The 401(k)'s rollovers, don’t: $5,000 at age 59 1/2"
    [document], [query] = encoder.encode_documents([text]), encoder.encode_queries([text])
    expected = {Bm25.compute_token_id(stem) for stem in ("401k", "rollov", "5000", "age", "59½")}
    assert set(document.indices) == set(query.indices) == expected
    assert encoder.fingerprint != Bm25Encoder(ES).fingerprint


def test_the_fingerprint_does_not_depend_on_what_queries_call_for():
    assert Bm25Encoder(ES).fingerprint == Bm25Encoder.of(SPANISH_LAW).fingerprint


@cache
def peer_of(code):
    """Fastembed's encoder with our analysis and settings; given a folder, it downloads no list of stop words."""
    analysis, folder = language(code), str(resources.files("articulado.language"))
    return Bm25(
        "Qdrant/bm25",
        cache_dir=folder,
        specific_model_path=folder,
        k=K,
        b=B,
        avg_len=AVERAGE_LENGTH,
        stopwords=set(analysis.stop_words),
        stemmer=analysis,
    )


def peer_vectors(embeddings):
    pairs = [sorted(zip(found.indices.tolist(), found.values.tolist(), strict=True)) for found in embeddings]
    return [SparseVector(tuple(i for i, _ in of_text), tuple(float(w) for _, w in of_text)) for of_text in pairs]


def assert_as_fastembed(code, texts):
    encoder, words = Bm25Encoder(language(code)), [" ".join(language(code).content_words(text)) for text in texts]
    assert encoder.encode_documents(texts) == peer_vectors(peer_of(code).embed(words))
    assert encoder.encode_queries(texts) == peer_vectors(peer_of(code).query_embed(words))


WORDS = st.one_of(
    st.sampled_from(
        [
            "despido",
            "DESPIDO",
            "don't",
            "401(k)",
            "59",
            "1/2",
            "1.234,56",
            "7.ª",
            "de",
            "l’Empordà",
            "İzmir",
            "ﬁn",
            "½",
            "__",
            "_a_",
            "三十",
            "ŉ",
        ]
    ),
    st.text(max_size=12),
    st.text("abñ_1", min_size=38, max_size=43),
)


@pytest.mark.parametrize("code", ["es", "en"])
@given(words=st.lists(WORDS, max_size=30))
def test_vectors_of_any_text_are_those_of_fastembed(code, words):
    assert_as_fastembed(code, [" ".join(words)])


@pytest.mark.parametrize("code", ["es", "en"])
def test_vectors_of_the_packaged_laws_are_those_of_fastembed(code):
    law = resources.files("corpus").joinpath("normativa", "BOE-A-2015-11430.jsonl").read_text(encoding="utf-8")
    assert_as_fastembed(code, [law, *law.splitlines()])
