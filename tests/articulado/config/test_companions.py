"""Companions of a profile: what its author reads where something is wrong, and what the packaged ones rest on."""

import pytest
from support.paths import REPOSITORY

from articulado.config.companions import COMPANIONS_FILE, load_companions, read_companions
from articulado.config.profile import load_profile
from articulado.values.errors import ConfigurationError

PACKAGED = load_companions(load_profile("laboral"))

TOPIC = """
[[companions]]
name = "despido"
[companions.when]
provisions = ["BOE-A-2015-11430#art:55", "BOE-A-2021-21007"]
words = ["despido"]
[companions.unless]
words = ["funcionario"]
[[companions.bring]]
provision = "BOE-A-2011-15936#art:103"
says = "veinte días"
for = "claim_deadline"
"""


@pytest.fixture
def problem_with(tmp_path):
    """Return what the author of a file of this text reads after its name."""

    def read(text):
        file = tmp_path / COMPANIONS_FILE
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigurationError) as caught:
            read_companions(file)
        return str(caught.value).removeprefix(f"«{file}» no se puede leer: ")

    return read


def test_a_topic_is_read_with_what_it_brings(tmp_path):
    (tmp_path / COMPANIONS_FILE).write_text(TOPIC, encoding="utf-8")
    (topic,) = read_companions(tmp_path / COMPANIONS_FILE)
    assert (topic.name, topic.unless.words, topic.unless.provisions) == ("despido", ("funcionario",), ())
    (companion,) = topic.bring
    assert (companion.ref, companion.purpose) == (("BOE-A-2011-15936", "art:103"), "claim_deadline")
    assert companion.says == "veinte días"
    assert topic.when.names(("BOE-A-2015-11430", "art:55"))
    assert not topic.when.names(("BOE-A-2015-11430", "art:5"))
    assert topic.when.names(("BOE-A-2021-21007", "art:3"))


def test_a_profile_without_the_file_has_none(tmp_path):
    assert load_companions(load_profile("plan_401k")) == ()


def test_a_profile_of_ones_own_has_its_own(tmp_path):
    text = 'name = "mio"\ntitle = "Mío"\nlanguage = "es"\n[[collections]]\nname = "notas"\nlabel = "Notas"\n'
    (tmp_path / "mio.toml").write_text(text, encoding="utf-8")
    (tmp_path / "mio").mkdir()
    (tmp_path / "mio" / COMPANIONS_FILE).write_text(TOPIC, encoding="utf-8")
    assert [topic.name for topic in load_companions(load_profile(str(tmp_path / "mio.toml")))] == ["despido"]


@pytest.mark.parametrize(
    ("written", "instead", "problem"),
    [
        ('for = "claim_deadline"', 'for = "plazo"', "[[companions]] «despido», bring.for 1: los valores posibles son"),
        ('for = "claim_deadline"', "", "[[companions]] «despido», bring.for 1: falta; escríbalo."),
        ('says = "veinte días"', 'says = ""', "[[companions]] «despido», bring.says 1: no puede estar vacío."),
        (
            'says = "veinte días"',
            'say = "veinte días"',
            "[[companions]] «despido», bring.says 1: falta; escríbalo.",
        ),
        (
            'for = "claim_deadline"',
            'for = "claim_deadline"\npart = 1',
            "[[companions]] «despido», bring.part 1: no es una clave conocida; las que hay son provision, says, for.",
        ),
        (
            "2011-15936#art:103",
            "1999-1#art:103",
            "[[companions]] «despido», bring.provision 1: «BOE-A-1999-1» no es una norma del registro "
            "(articulado/legal/data/laws.toml).",
        ),
        (
            "BOE-A-2011-15936#art:103",
            "BOE-A-2011-15936#articulo 103",
            "[[companions]] «despido», bring.provision 1: «BOE-A-2011-15936#articulo 103» no nombra un precepto; "
            "escríbalo como BOE-A-2015-11430#art:59.",
        ),
        (
            "BOE-A-2011-15936#art:103",
            "BOE-A-2011-15936",
            "[[companions]] «despido», bring.provision 1: «BOE-A-2011-15936» no nombra un precepto; "
            "escríbalo como BOE-A-2015-11430#art:59.",
        ),
        (
            "BOE-A-2021-21007",
            "BOE-A-2021-1",
            "[[companions]] «despido», when.provisions 2: «BOE-A-2021-1» no es una norma del registro "
            "(articulado/legal/data/laws.toml).",
        ),
        (
            "[companions.when]",
            "[companions.wann]",
            "[[companions]] «despido», when: falta; escríbalo.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(problem_with, written, instead, problem):
    assert TOPIC.count(written) == 1
    assert problem_with(TOPIC.replace(written, instead)).startswith(problem)


def test_a_topic_brings_no_more_than_four(problem_with):
    bring = TOPIC[TOPIC.index("[[companions.bring]]") :]
    assert problem_with(TOPIC + bring * 4) == "[[companions]] «despido», bring: son demasiados."


def test_no_two_topics_have_one_name(problem_with):
    assert problem_with(TOPIC * 2) == "hay dos [[companions]] «despido»; deje uno o dele otro nombre."


def test_a_topic_must_say_how_it_is_recognised(problem_with):
    lines = TOPIC.splitlines(keepends=True)
    silent = "".join(line for line in lines if not line.startswith(("provisions", 'words = ["despido"]')))
    problem = "[[companions]] «despido»: when no dice cuándo: escriba provisions, words o las dos."
    assert problem_with(silent) == problem


def test_what_is_no_toml_is_said(problem_with):
    assert problem_with("[[companions]\n").startswith("línea 1, columna ")


def test_packaged_topics_have_names_of_their_own():
    names = [topic.name for topic in PACKAGED]
    assert len(set(names)) == len(names)
    assert (REPOSITORY / "profiles" / "laboral" / COMPANIONS_FILE).is_file()


def test_every_packaged_topic_says_how_it_is_recognised():
    for topic in PACKAGED:
        assert topic.when.provisions, topic.name
        assert topic.when.words, topic.name
