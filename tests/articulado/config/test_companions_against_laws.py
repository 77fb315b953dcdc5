"""The packaged companions against the real laws: a part in force of each says what a jurist brings it for."""

from functools import cache

import pytest

from articulado.config.companions import load_companions
from articulado.config.profile import load_profile
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.values.chunks import REPEALED

TOPICS = load_companions(load_profile("laboral"))
BROUGHT = {
    (topic.name, companion.provision, companion.says): companion for topic in TOPICS for companion in topic.bring
}

# Read in the laws by hand: the figures and words for which each provision is brought.
READ = {
    "BOE-A-1977-6061#art:3": ["cinco días naturales de antelación"],
    "BOE-A-1977-6061#art:4": ["servicios públicos", "diez días naturales"],
    "BOE-A-2011-15936#art:63": ["intento de conciliación o, en su caso, de mediación"],
    "BOE-A-2011-15936#art:64": ["Se exceptúan", "disfrute de vacaciones", "movilidad geográfica", "artículo 138 bis"],
    "BOE-A-2011-15936#art:65": ["suspenderá la caducidad", "quince días hábiles"],
    "BOE-A-2011-15936#art:69": ["agotado la vía administrativa", "veinte días hábiles"],
    "BOE-A-2011-15936#art:71": ["treinta días", "once días"],
    "BOE-A-2011-15936#art:103": ["veinte días hábiles", "no se computarán los sábados, domingos y los festivos"],
    "BOE-A-2011-15936#art:114": ["dentro del plazo señalado en el artículo 103"],
    "BOE-A-2011-15936#art:124": ["plazo de caducidad de veinte días"],
    "BOE-A-2011-15936#art:125": ["veinte días", "dos meses de antelación"],
    "BOE-A-2011-15936#art:127": ["tres días"],
    "BOE-A-2011-15936#art:138": ["veinte días hábiles"],
    "BOE-A-2011-15936#art:138 bis": ["veinte días hábiles"],
    "BOE-A-2011-15936#art:139": ["plazo de veinte días"],
    "BOE-A-2011-15936#art:140": ["altas médicas"],
    "BOE-A-2011-15936#art:153": ["interpretación de una norma estatal, convenio colectivo"],
    "BOE-A-2011-15936#art:156": ["intento de conciliación o de mediación"],
    "BOE-A-2011-15936#art:177": ["libertad sindical, huelga", "acoso"],
    "BOE-A-2011-15936#art:179": ["plazo general de prescripción o caducidad"],
    "BOE-A-2015-11430#art:16": ["falta de este"],
    "BOE-A-2015-11430#art:29": ["diez por ciento de lo adeudado"],
    "BOE-A-2015-11430#art:33": ["prescribirá al año"],
    "BOE-A-2015-11430#art:48": ["quince días"],
    "BOE-A-2015-11430#art:59": ["veinte días", "al año de su terminación", "plazo de un año"],
    "BOE-A-2015-11724#art:53": ["cinco años", "tres meses"],
    "BOE-A-2015-11724#art:66": ["Instituto Nacional de la Seguridad Social"],
    "BOE-A-2015-11724#art:173": ["cuarto al decimoquinto", "a cargo del empresario"],
    "BOE-A-2015-11724#art:200": ["Instituto Nacional de la Seguridad Social"],
    "BOE-A-2015-11724#art:212": ["imprescriptible", "tres meses"],
    "BOE-A-2015-11724#art:230": ["imprescriptible", "tres meses"],
    "BOE-A-2015-11724#art:268": ["quince días"],
    "BOE-A-2015-11724#art:270": ["175 por ciento", "107 por ciento"],
    "BOE-A-2015-11724#art:276": ["quince días hábiles", "seis meses"],
    "BOE-A-2015-11724#art:278": ["95 por ciento", "90 por ciento", "80 por ciento"],
    "BOE-A-2015-11724#art:294": ["Servicio Público de Empleo Estatal"],
    "BOE-A-2015-11724#art:337": ["último día del mes siguiente", "mutua colaboradora"],
    "BOE-A-2015-11724#art:339": ["70 por ciento"],
    "BOE-A-2021-21007#art:25": ["Instituto Nacional de la Seguridad Social"],
    "BOE-A-2021-21007#art:27": ["sede electrónica de la Seguridad Social"],
    "BOE-A-2025-2576#art:1": ["1184 euros/mes"],
    "BOE-A-2026-3815#art:1": ["1 221 euros/mes"],
    "BOE-A-2026-3815#art:3": ["17 094 euros"],
    "BOE-A-2026-3815#art:4": ["57,82 euros", "empleadas y empleados de hogar"],
    "BOE-A-2026-7296#art:2": ["5.101,20 euros"],
}
# What is law no longer comes only with a question about its day.
PAST = {"BOE-A-2025-2576#art:1"}


@pytest.fixture(scope="module")
def parts_of(real_laws):
    """Return a function from a provision, as companions write it, to its chunks."""

    @cache
    def chunks(law_id):
        return law_chunks(read_law(real_laws / f"{law_id}.md"))

    def parts(provision):
        law_id, _, key = provision.partition("#")
        return [chunk for chunk in chunks(law_id) if chunk["provision_key"] == key]

    return parts


def on_one_line(text):
    return " ".join(text.split())


def test_every_provision_that_is_brought_was_read_by_hand():
    assert {companion.provision for companion in BROUGHT.values()} == set(READ)


@pytest.mark.parametrize("provision", READ)
def test_a_provision_has_the_words_that_were_read_in_it(parts_of, provision):
    text = on_one_line(" ".join(part["text"] for part in parts_of(provision)))
    assert [words for words in READ[provision] if words not in text] == []


@pytest.mark.parametrize("brought", BROUGHT, ids=" ".join)
def test_a_part_in_force_says_what_it_is_brought_for(parts_of, brought):
    companion = BROUGHT[brought]
    saying = [part for part in parts_of(companion.provision) if companion.says in part["text"]]
    assert saying
    is_past = all(part["status"] in REPEALED or part["valid_to"] for part in saying)
    assert is_past == (companion.provision in PAST)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_every_provision_that_recognises_a_topic_is_in_its_law(parts_of, topic):
    named = [*topic.when.provisions, *topic.unless.provisions]
    assert [provision for provision in named if "#" in provision and not parts_of(provision)] == []
