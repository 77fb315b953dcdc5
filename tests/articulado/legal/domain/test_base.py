"""What is known of a domain: of Spanish law much, of any other what rare words say."""

import pytest
from support.doubles import make_chunk

from articulado.config.profile import domain_named, domain_of, load_profile
from articulado.language.languages import language
from articulado.legal.domain.base import Concept, Coverage, Domain, Lexicon, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.errors import ConfigurationError

PLAIN = PlainDomain(language("en"))
# df: loan 2, fee 1 of 3 texts; ln(4/3)/ln 4 and ln(4/2)/ln 4 = 0.5.
TEXTS = ["loan fees of a 401(k)", "a loan of 5 years", "rollover"]
WEIGHTS = Lexicon.build(TEXTS, PLAIN.stems)


def test_a_profile_with_spanish_law_is_of_that_domain_and_any_other_of_its_language():
    assert domain_of(load_profile("laboral")) is SPANISH_LAW
    assert domain_of(load_profile("plan_401k")) == PLAIN


@pytest.mark.parametrize("domain", [SPANISH_LAW, PLAIN, PlainDomain(language("es"))])
def test_an_index_remembers_a_domain_by_its_name(domain):
    assert domain_named(domain.name) == domain
    assert isinstance(domain, Domain)


def test_a_name_of_no_domain_is_told():
    with pytest.raises(ConfigurationError, match="latin"):
        domain_named("latin")


def test_words_are_concepts_weighed_by_how_rare_they_are_and_numbers_say_little():
    assert PLAIN.concepts("What are the fees, the fee and the 5 or 401(k)?", WEIGHTS) == [
        Concept(("fee",), (), 0.5),
        Concept(("5",), (), 0.3),
        Concept(("401k",), (), 0.5),
    ]
    assert PLAIN.concepts("how long of a time for a loan", WEIGHTS)[-1].stems == ("loan",)
    assert PLAIN.concepts("what is it?", WEIGHTS) == []


def test_the_plain_domain_knows_no_law():
    chunk = make_chunk(1, "Disposición transitoria primera", law_id="BOE-A-2011-17975", provision_key="dt:1")
    question = "¿qué dice el art. 38 ET si me echaron en Sevilla en 2019?"
    plain = PlainDomain(language("es"))
    assert (plain.terms(question), plain.citations(question), plain.question_topic(question)) == ((), (), question)
    assert plain.prior(question, chunk) == 1.0
    assert SPANISH_LAW.terms(question)
    assert SPANISH_LAW.citations(question)
    assert SPANISH_LAW.question_topic(question) != question
    assert SPANISH_LAW.prior(question, chunk) < 1


def test_a_text_covers_the_share_of_the_words_that_it_has():
    concepts = PLAIN.concepts("fees of a rollover", WEIGHTS)
    assert Coverage(concepts, WEIGHTS)(dict.fromkeys(PLAIN.stems(TEXTS[0]), 1.0)) == 0.5
