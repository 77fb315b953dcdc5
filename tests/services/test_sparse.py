import subprocess
import sys

from fastembed.sparse.bm25 import Bm25

from services.sparse import AVERAGE_LENGTH, B, Bm25Encoder, K
from services.text import stems

TEXTS = [
    "Artículo 48 bis. Permiso parental: hasta los 8 años del menor; 47.5 %, fijo-discontinuo, 7.ª edición.",
    "Indemnizacion por despido; INDEMNIZACIÓN, indemnizaciones",
    "¿Cuántos días de vacaciones me corresponden?",
]


def term_ids(text):
    return {Bm25.compute_token_id(stem) for stem in stems(text)}


def test_terms_are_the_stems_of_our_analysis():
    encoder = Bm25Encoder()
    for text, document, query in zip(
        TEXTS, encoder.encode_documents(TEXTS), encoder.encode_queries(TEXTS), strict=True
    ):
        assert set(document.indices) == set(query.indices) == term_ids(text)


def test_weights_follow_the_formula():
    # "indemnizacion" in three forms and "despido": |d| = 4, tf = 3 and 1.
    vector = Bm25Encoder().encode_documents([TEXTS[1]])[0]
    by_term = dict(zip(vector.indices, vector.values, strict=True))
    length = K * (1 - B + B * 4 / AVERAGE_LENGTH)
    assert by_term[Bm25.compute_token_id("indemniz")] == 3 * (K + 1) / (3 + length)
    assert by_term[Bm25.compute_token_id("desped")] == 1 * (K + 1) / (1 + length)


def test_query_terms_weigh_one_and_are_in_ascending_order():
    query = Bm25Encoder().encode_queries(["despido despido vacaciones permiso nómina"])[0]
    assert query.values == (1.0,) * 4
    assert list(query.indices) == sorted(set(query.indices))


def test_a_text_without_content_gives_an_empty_vector():
    encoder = Bm25Encoder()
    for vector in (*encoder.encode_queries(["¿y eso?", ""]), *encoder.encode_documents(["", "de la"])):
        assert vector.indices == vector.values == ()


def test_decomposed_accents_find_composed_ones():
    encoder = Bm25Encoder()
    assert encoder.encode_queries(["indemnizacio\u0301n"]) == encoder.encode_queries(["indemnización"])


def test_the_fingerprint_needs_no_heavy_import():
    code = (
        "import sys; from services.sparse import Bm25Encoder; print(Bm25Encoder().fingerprint); "
        "assert 'fastembed' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == Bm25Encoder().fingerprint
    assert done.stdout.startswith("bm25:")
