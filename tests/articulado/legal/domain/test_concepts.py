from articulado.language.spanish import stems
from articulado.legal.domain.base import Concept, Coverage, EqualWeights, Lexicon
from articulado.legal.domain.spanish_law import SPANISH_LAW

# df: vacacion 1, anual 1, retribu 1, dia 3 of 3 texts; ln(4/2)/ln 4 = 0.5 and ln(4/4)/ln 4 = 0.
LEXICON = Lexicon.build(["vacaciones anuales retribuidas, días", "días de multa", "días"], stems)


def test_a_term_of_the_table_is_one_concept_with_its_legal_names():
    assert SPANISH_LAW.concepts("¿vacaciones?", LEXICON) == [
        Concept(("vacacion",), ((("vacacion", "anual", "retribu"), 0.8),), 0.5)
    ]


def test_other_words_are_concepts_of_their_own_weighed_by_idf():
    assert SPANISH_LAW.concepts("los días de la paella", LEXICON) == [
        Concept(("dia",), (), 0.0),
        Concept(("paell",), (), 1.0),
    ]


def test_a_word_of_no_text_weighs_less_in_a_question_of_the_domain():
    by_stem = {concept.stems: concept.weight for concept in SPANISH_LAW.concepts("mi nómina en Mercadona", LEXICON)}
    assert by_stem == {("nomin",): 1.0, ("mercadon",): 0.35}


def test_figures_weigh_little():
    assert [concept.weight for concept in SPANISH_LAW.concepts("multa 300", LEXICON)][1] == 0.3


def test_a_term_of_stop_words_weighs_what_its_legal_names_weigh():
    (concept,) = SPANISH_LAW.concepts("no me pagan", EqualWeights())[:1]
    assert concept.stems == ("pag",)


def test_a_word_of_no_text_does_not_make_a_term_of_the_table_say_more():
    (concept,) = SPANISH_LAW.concepts("caigo enfermo", Lexicon.build(["enfermo", "multa", "día"], stems))
    assert (concept.stems, concept.weight) == (("caig", "enferm"), 0.5)


def test_how_much_time_asks_for_a_figure_and_is_no_topic():
    assert SPANISH_LAW.concepts("¿Cuánto tiempo dura la multa?", LEXICON) == SPANISH_LAW.concepts(
        "¿Cuánto dura la multa?", LEXICON
    )
    assert ("tiemp",) in {concept.stems for concept in SPANISH_LAW.concepts("¿Cuánto tiempo parcial?", EqualWeights())}


def test_a_question_of_stop_words_has_no_concepts():
    assert SPANISH_LAW.concepts("¿y eso?", LEXICON) == []
    assert Coverage([], LEXICON)({"x": 1.0}) == 0.0


def test_coverage_takes_the_best_of_own_words_and_legal_names():
    weights = EqualWeights()
    payslip = Concept(("nomin",), ((("recib", "salari"), 0.9),), 1.0)
    paella = Concept(("paell",), (), 1.0)
    assert Coverage([payslip], weights)({"nomin": 0.75}) == 0.75
    assert Coverage([payslip], weights)({"recib": 1.0, "salari": 1.0}) == 0.9
    assert Coverage([payslip], weights)({"recib": 1.0}) == 0.45
    assert Coverage([payslip, paella], weights)({"nomin": 1.0}) == 0.5
