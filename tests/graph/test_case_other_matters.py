"""Inquiries about other matters never go on, though topic and all data of an article come along: packaged profiles."""

import pytest
from support.laboral import write_laboral
from support.paths import REPOSITORY
from support.whole_data import packaged_articles, whole_data

from articulado.cases.matching import MIN_CONFIDENCE
from articulado.config.settings import Settings
from graph.case import build_generate_response
from graph.compose import open_services
from nodes.stage import wait_for

FILTERS = ("topic", "record_keeper", "plan_type", "regimen", "tipo_contrato")
ARTICLES = {name: packaged_articles(REPOSITORY / "profiles" / name / "articles") for name in ("plan_401k", "laboral")}

OF_PLAN = [
    "My dental insurance refused the crown, how do I appeal?",
    "He wants to know whether Bitcoin is a better investment than index funds",
    "She forgot the PIN of her debit card",
    "How much will my Social Security check be at 67?",
    "Employee asks how many vacation days carry over to next year",
    "Client wants to refinance the mortgage on his house",
    "The participant's car insurance premium went up, can we dispute it?",
    "Can my daughter get a federal student loan for college?",
    "He needs a copy of his W-2 from the payroll department",
    "How do I sign up for Medicare Part B?",
    "What is the weather like in Boston this weekend?",
    "Can I still deduct my traditional IRA contribution on this year's return?",
]
OF_LAW = [
    "¿Cómo declaro en la renta el piso que tengo alquilado?",
    "Mi casero no me devuelve la fianza del piso",
    "Quiero divorciarme y quedarme con la custodia de los niños",
    "Me han puesto una multa de tráfico por exceso de velocidad",
    "¿Qué documentos necesito para renovar el pasaporte?",
    "El banco me cobra comisiones por la tarjeta sin avisar",
    "El vecino de arriba tiene una gotera y no quiere arreglarla",
    "¿Cómo solicito una beca para la universidad de mi hija?",
    "La compañía de teléfono me ha subido la tarifa sin permiso",
    "¿Qué impuesto se paga por heredar la casa de mi madre?",
    "Necesito cita con el dentista de mi seguro",
    "¿Cómo doy de alta la luz en mi piso nuevo?",
]


@pytest.fixture(scope="module")
def desks(tmp_path_factory):
    """The graph that answers cases by profile; each is opened when a test first needs it."""
    law = write_laboral(tmp_path_factory.mktemp("profiles"), articles=True)
    profiles = {"plan_401k": "plan_401k", "laboral": law}
    opened = {}

    def graph_of(name):
        if name not in opened:
            settings = Settings.read(env_file=None, profile=profiles[name], home=tmp_path_factory.mktemp(name))
            opened[name] = wait_for(open_services(settings))
        return build_generate_response(opened[name])

    yield graph_of
    for services in opened.values():
        wait_for(services.close())


def answers(graph, cases):
    async def ask():
        return [await graph.ainvoke(case) for case in cases]

    return wait_for(ask())


def case_of(article, inquiry):
    filters = {name: article[name] for name in FILTERS if name in article}
    return {"inquiry": inquiry, **filters, "collected_data": whole_data(article), "max_tokens": 6000}


@pytest.mark.parametrize(
    ("name", "number", "inquiry"),
    [
        (name, number, inquiry)
        for name, inquiries in (("plan_401k", OF_PLAN), ("laboral", OF_LAW))
        for number, inquiry in enumerate(inquiries)
    ],
)
def test_an_inquiry_about_another_matter_goes_on_with_the_data_of_no_article(desks, name, number, inquiry):
    # Every third article, beginning with another one each time: all articles, each with four inquiries.
    found = answers(desks(name), [case_of(article, inquiry) for article in ARTICLES[name][number % 3 :: 3]])

    assert all(one["decision"] != "can_proceed" and one["confidence"] < MIN_CONFIDENCE for one in found)


@pytest.mark.parametrize("name", ARTICLES)
def test_the_data_are_all_that_the_articles_need_and_their_own_inquiries_are_sure(desks, name):
    articles = ARTICLES[name]
    found = answers(desks(name), [case_of(article, article["inquiries"][0]) for article in articles])

    assert [one["metadata"]["article_id"] for one in found] == [article["id"] for article in articles]
    for one in found:
        assert one["metadata"]["missing_data"] == one["metadata"]["rejected_data"] == []
        assert one["confidence"] >= MIN_CONFIDENCE
    assert any(one["decision"] == "can_proceed" for one in found)
