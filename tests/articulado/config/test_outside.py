"""What a profile names as outside: the file is read as it is, and what is wrong with it is said in Spanish."""

import pytest
from support.small_articles import write_profile

from articulado.config.profile import load_profile
from articulado.guides.schema import load_outside, read_outside
from articulado.values.errors import ConfigurationError

WHOLE = """
[[matters]]
name = "Bees"
inquiries = ["a swarm", "bees in the roof"]
texts = ["Call a beekeeper."]

[[matters]]
name = "Wasps"
inquiries = ["a wasp nest"]
"""


def write(folder, content):
    file = folder / "outside.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_matters_are_in_the_order_of_the_file(tmp_path):
    bees, wasps = read_outside(write(tmp_path, WHOLE))

    assert (bees.name, bees.inquiries, bees.texts) == ("Bees", ("a swarm", "bees in the roof"), ("Call a beekeeper.",))
    assert (wasps.name, wasps.inquiries, wasps.texts) == ("Wasps", ("a wasp nest",), ())


def test_the_file_lies_in_the_own_folder_of_the_profile_and_may_be_missing(tmp_path):
    profile = load_profile(str(write_profile(tmp_path)))
    assert load_outside(profile) == ()

    profile.own_folder.mkdir()
    write(profile.own_folder, "\ufeff" + WHOLE)

    assert [matter.name for matter in load_outside(profile)] == ["Bees", "Wasps"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('[[matters]]\ninquiries = ["a"]', "[[matters]] número 1, name: falta; escríbalo"),
        ('[[matters]]\nname = ""\ninquiries = ["a"]', "[[matters]] número 1, name: no puede estar vacío"),
        ('[[matters]]\nname = "Bees"', "[[matters]] «Bees», inquiries: falta; escríbalo"),
        ('[[matters]]\nname = "Bees"\ninquiries = []', "[[matters]] «Bees», inquiries: hace falta al menos uno"),
        (
            '[[matters]]\nname = "Bees"\ninquiries = "a"',
            "[[matters]] «Bees», inquiries: debe ser una lista, entre corchetes",
        ),
        (
            '[[matters]]\nname = "Bees"\ninquiries = ["a", 3]',
            "[[matters]] «Bees», inquiries 2: debe ser un texto, entre comillas",
        ),
        (
            '[[matters]]\nname = "Bees"\ninquiries = ["a"]\ntext = "x"',
            "[[matters]] «Bees», text: no es una clave conocida; las que hay son name, inquiries, texts",
        ),
        ('[matters]\nname = "Bees"', "[[matters]]: cada uno se escribe con dobles corchetes, [[matters]]"),
        ("[[bees]]\n", "bees: no es una clave conocida; las que hay son matters"),
        ('[[matters]]\nname = "Bees', "al final del fichero: faltan las comillas que cierran el texto"),
        (b'[[matters]]\nname = "\xff"', "no está en UTF-8; guárdelo como texto UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(tmp_path, content, problem):
    file = write(tmp_path, content)

    with pytest.raises(ConfigurationError) as raised:
        read_outside(file)
    assert str(raised.value).startswith(f"«{file}» no se puede leer: {problem}")


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_the_packaged_profiles_name_each_matter_once_and_ask_for_it_in_several_ways(name):
    matters = load_outside(load_profile(name))

    assert len({matter.name for matter in matters}) == len(matters) > 0
    assert all(len(matter.inquiries) >= 4 for matter in matters)
    inquiries = [inquiry for matter in matters for inquiry in matter.inquiries]
    assert len(set(inquiries)) == len(inquiries)
