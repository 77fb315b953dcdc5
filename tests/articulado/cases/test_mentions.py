"""What the text of an inquiry names of its case: the record keeper, the plan, the regime, the contract."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.cases.mentions import Mention, mentions
from articulado.config.profile import load_profile
from articulado.config.sections import FilterField
from articulado.language.languages import language

PROFILES = {name: load_profile(name) for name in ("laboral", "plan_401k")}

LT, MERIDIAN = "LT Trust", "Meridian Recordkeeping"
NOT_HELD = ""


def read(profile: str, text: str) -> list[Mention]:
    return mentions(text, PROFILES[profile].filter_fields, language(PROFILES[profile].language))


def own(profile: str, field: str, text: str) -> set[str]:
    return {mention.value for mention in read(profile, text) if (mention.field, mention.role) == (field, "own")}


def in_the_record_keepers(text: str) -> set[str]:
    return own("plan_401k", "record_keeper", text)


@pytest.mark.parametrize(
    "text",
    [
        "My account is at Fidelity and I need a loan.",
        "my 401k is with vanguard, how do i borrow from it",
        "Empower 401(k) hardship withdrawal",
        "Our record keeper is Vanguard. When do you send the RMD?",
        "Our recordkeeper: Voya. What form for a loan?",
        "The plan administrator is Principal, who signs the QDRO?",
        "Fidelity is our record keeper, how does a participant name a beneficiary?",
        "I have a 401(k) with John Hancock and left my job.",
        "How do I take a loan from my Fidelity 401(k)?",
        "My Schwab 401(k) shows the wrong hire date",
        "Participant at Transamerica wants a distribution",
        "I'm with Nationwide, how do I change my contribution?",
        "How do I log in to Fidelity?",
        "I'm locked out of my TIAA account",
        "Roll my 401(k) from Empower to an IRA",
        "I want to roll over my account out of Voya into an IRA",
        "We use Paychex for our 401(k), can an employee take a loan?",
        "Our plan is at Ascensus. What is vested after 3 years?",
        "My retirement account is held by T. Rowe Price, how do I cash out?",
        "my retirement savings are with prudential and i want a hardship withdrawal",
        "Client's plan is with ADP, needs her RMD",
        "Can I get a hardship withdrawal from MassMutual?",
        "The participant has $40,000 in a 401(k) at Human Interest and wants a loan",
        "Guideline 401(k): how do I stop my deferrals?",
        "My employer uses Betterment, how do I increase my deferral?",
        "The company switched to Empower last year. How do I get a loan?",
        "Our plan moved to Fidelity in January, where do I send the QDRO?",
        "I want to move my old Fidelity 401(k) to an IRA",
        "How long does a rollover from Fidelity to Schwab take?",
        "what is the fee for a loan at lincoln financial? my account is with lincoln financial",
        "my 401k is at fidelty, how do i get my money",
        "I have my 401k through Vangaurd. Loan form?",
        "Plan provider is American Funds. RMD deadline?",
        "Record keeper Fidelity, participant age 73, first RMD?",
        "Our retirement plan is administered by Ubiquity. Vesting schedule?",
        "Beneficiary change for a Vestwell 401(k) account",
        "Fidelity participant wants a hardship withdrawal",
        "How do I reset my password at Fidelity? My account there is a 401(k) with Fidelity.",
        "My account is currently held at Corebridge",
        "The plan's record keeper is now Newport Group, can he still take a loan?",
        "Hi, I'm a participant with Principal and need the loan application",
        "Terminated, 401(k) balance sits at Merrill Lynch, want cash",
        "I need the vesting schedule at Vanguard",
        "I'm trying to withdraw money from my Fidelity account because of an eviction",
        "her 403(b) is with TIAA and she is retiring",
        "We are with Securian; who approves loans?",
        "Does the spouse sign? The 401k plan is through OneAmerica.",
        "NetBenefits account: how do I change beneficiaries? My account is on NetBenefits",
        "How can I take a loan against my Empower account",
        "How do I borrow from Fidelity?",
        "Our client has been with Fidelity since 2015 and wants a plan loan.",
        "What is Fidelity's fee for a loan?",
        "How long does Vanguard take to process a distribution?",
        "What form does Empower need for a QDRO?",
        "Does Fidelity allow a second loan?",
        "My account's with Schwab",
        "Who do I contact at Fidelity about my 401(k) loan?",
        "I participate in the Empower plan of my company",
        "How much can I borrow at Fidelity?",
        "The 401k at my job is through Principal. Can I borrow?",
        "My retirement plan's with Empower",
        "Fidelity: how do I take a loan?",
        "Loan question (Fidelity)",
        "Participant w/ Fidelity wants rollover",
        "We recently changed record keepers from LT Trust to Fidelity; how do participants log in?",
        "Our record keeper changed to Empower",
        "Schwab is who holds our plan",
        "How do I update beneficiaries on Fidelity?",
        "My statement from Voya shows 60% vested",
        "Fidelity denied my hardship request, what do I need to send?",
    ],
)
def test_a_record_keeper_that_the_base_does_not_hold_is_named(text):
    assert in_the_record_keepers(text) == {NOT_HELD}


@pytest.mark.parametrize(
    ("text", "keeper"),
    [
        ("Does the spouse's signature have to be notarized for LT Trust?", LT),
        ("I'm leaving my job with a loan still open at LT Trust", LT),
        ("How do I set up automatic RMD payments with LT Trust", LT),
        ("Can I name my sister at Meridian although I'm married?", MERIDIAN),
        ("Does LT Trust force small balances out?", LT),
        ("sent LT some papers and now there is a hold", LT),
        ("my lt account is locked", LT),
        ("LT-Trust hardship", LT),
        ("How do I open LT Connect?", LT),
        ("Roll my LT Trust 401(k) over to Fidelity", LT),
        ("I want to roll it over to Fidelity from LT Trust", LT),
        ("He is moving to Meridian from LT Trust.", LT),
        ("Transfer from LT Trust to Meridian", LT),
        ("LT Trust to Meridian transfer", LT),
        ("my lt trust 401k goes to my new employer's plan at Empower", LT),
        ("IRA at Schwab, account at LT Trust", LT),
        ("How do I request a loan from Meridian?", MERIDIAN),
        ("Meridian mailed the check to me instead of to Vanguard", MERIDIAN),
        ("I want my old Meridian account sent by wire to my new 401(k)", MERIDIAN),
        ("Widow inherited her late husband's Meridian account", MERIDIAN),
        ("The plan moved to Meridian from another record keeper", MERIDIAN),
        ("Does Meridian accept rolling in money from a previous employer's plan?", MERIDIAN),
        ("My record keeper is Meridian, not LT Trust.", MERIDIAN),
        ("meridien recordkeeping loan fees", MERIDIAN),
        ("We left Fidelity in March; our plan is now with Meridian", MERIDIAN),
        ("Want to pay off what I owe to my own Meridian account", MERIDIAN),
        ("My old 401(k) was at Fidelity; my account now is with LT Trust", LT),
        ("my wife has Vanguard but my account is at LT Trust", LT),
    ],
)
def test_a_record_keeper_that_the_base_holds_is_named(text, keeper):
    assert in_the_record_keepers(text) == {keeper}


@pytest.mark.parametrize(
    "text",
    [
        "How do I roll it over to Fidelity?",
        "Participant wants rollover to Fidelity",
        "I want to move everything to an IRA at Schwab",
        "Schwab already opened both a traditional and a Roth IRA for her",
        "What do you charge to send my account to Schwab or Fidelity?",
        "Can you wire the money to Vanguard?",
        "make the check payable to Fidelity for my benefit",
        "My new employer's plan is at Empower. Can I move my balance there?",
        "The new company uses Voya; how do I move my money there?",
        "My old 401(k) was at Vanguard, can I roll it in?",
        "I'd like to bring my Fidelity 401(k) into this plan",
        "Roll my previous employer's plan at Empower into my current 401(k)",
        "My wife's 401(k) is at Fidelity. Does that matter for my loan?",
        "My husband has his account with Vanguard, can I be his beneficiary at mine?",
        "A coworker has a loan at Fidelity with 5 % interest, what is yours?",
        "We are not with Fidelity any more",
        "I have a Fidelity IRA and want my balance moved there",
        "Vanguard says it needs a letter of acceptance",
        "Fidelity told me I need a medallion signature from you",
        "Should I buy a Vanguard index fund in my account?",
        "My brokerage account is at Schwab, can the check go there?",
        "I opened a rollover IRA with Betterment yesterday",
        "the receiving institution is Charles Schwab, account 1234",
        "The loan principal is $10,000 and my account balance is low",
        "her principal balance is $5,000",
        "Is there a guideline for a hardship?",
        "Does the plan empower me to choose a fund?",
        "I live in Lincoln and need a loan",
        "I work for Fidelity and want to know your fees",
        "Is your loan rate better than a loan at Fidelity? My mortgage is with JPMorgan.",
        "I used to have a 401(k) with Prudential",
        "my bank is Bank of America, how long does the deposit take",
        "If we switched to Empower, would loans be cheaper?",
        "I read on Fidelity that loans are five years",
        "In general, how long does a rollover take when the new custodian is Fidelity?",
        "Can the 60-day check be deposited at Vanguard?",
        "Our adviser at Morgan Stanley asks for the form",
        "Nationwide, what do people pay for a loan?",
        "Invest my balance in Vanguard target date funds",
        "rolling over to a Principal IRA, what form?",
        "Transfer to TIAA please",
        "my brother's account is with Fidelity and he got his check in a week",
        "Fidelity is my new employer's record keeper, can my money go there?",
        "going from my plan to Schwab",
        "Please send a check to my bank, Morgan Stanley",
        "Fidelity rejected the check",
        "I want my balance at Vanguard instead",
        "My paycheck comes from ADP",
        "We process payroll with ADP",
        "Prudential life insurance beneficiary, different from the plan?",
        "Will you send the paperwork straight to Vanguard?",
        "What does Fidelity need from you to accept the rollover?",
        "Vanguard is where I want the money to go",
        "my last company's 401k is with Fidelity, can I merge it in?",
        "I'm starting at a company with Fidelity",
        "My ex-husband's account is at Vanguard, QDRO",
    ],
)
def test_what_is_not_the_record_keeper_of_the_case_is_not_named(text):
    assert in_the_record_keepers(text) == set()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("How do I borrow from my 401k?", {"401(k)"}),
        ("403b payout - ex employee of univ", {"403(b)"}),
        ("loan from my 403 (b) plan", {"403(b)"}),
        ("two 401ks", {"401(k)"}),
        ("How do I get at my 457(b)?", {NOT_HELD}),
        ("my 457 plan, loan", {NOT_HELD}),
        ("Loan from a 457(b) plan", {NOT_HELD}),
        ("Participant in our 401(a) wants a distribution", {NOT_HELD}),
        ("I want a lump sum from my pension", {NOT_HELD}),
        ("distribution from a defined benefit plan", {NOT_HELD}),
        ("Can I borrow from my SEP IRA?", {NOT_HELD}),
        ("Our SIMPLE IRA: when are deferrals due?", {NOT_HELD}),
        ("I want a loan from my TSP", {NOT_HELD}),
        ("RMD from our profit sharing plan", {NOT_HELD}),
        ("How do I cash out my ESOP?", {NOT_HELD}),
        ("457(b) hardship withdrawal", {NOT_HELD}),
        ("It's a 457(b), not a 401(k). Loan?", {NOT_HELD}),
        ("My plan is a 403(b), not a 401(k).", {"403(b)"}),
        ("Is a 457(b) with the same district paid out by the same form?", set()),
        ("What is vested for profit sharing?", set()),
        ("Roll my balance to my new employer's 401(k)", set()),
        ("I also have a pension", set()),
        ("my wife's 457(b) is bigger", set()),
        ("Roll my 403(b) to a 401(k)", {"403(b)"}),
        ("my 401(k) to my husband's 403(b)?", {"401(k)"}),
        ("what is the difference between a 401(k) and a 403(b)?", set()),
        ("can I also have a SEP IRA next to my 401(k)?", {"401(k)"}),
        ("How much do I get? I have $401.", set()),
        ("a payment of $401 a month", set()),
        ("a fee of 457 dollars", set()),
        ("how do i cash out my simple ira", {NOT_HELD}),
        ("loan from my sep ira", {NOT_HELD}),
        ("paid on sep 4 by check", set()),
        ("a simple ira question", set()),
    ],
)
def test_the_type_of_plan_that_is_named(text, values):
    assert own("plan_401k", "plan_type", text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Soy autónomo y me he puesto enfermo", {"autonomos"}),
        ("soy autonoma, ¿cuántas semanas tengo?", {"autonomos"}),
        ("Somos dos autónomas con un local", {"autonomos"}),
        ("Requisitos para cobrar el cese de actividad de los autónomos", {"autonomos"}),
        ("Autónomo con deudas, ¿puede cobrar?", {"autonomos"}),
        ("soy fontanero por cuenta propia", {"autonomos"}),
        ("Estoy dado de alta en el RETA desde 2015", {"autonomos"}),
        ("trabajo por mi cuenta como diseñadora", {"autonomos"}),
        ("Cierro mi negocio porque solo pierdo dinero", {"autonomos"}),
        ("pago la cuota de autónomos todos los meses", {"autonomos"}),
        ("mi cliente es autónomo y quiere jubilarse", {"autonomos"}),
        ("Trabajo como freelance y estoy de baja", {"autonomos"}),
        ("Autónomo societario administrador: cese", {"autonomos"}),
        ("Voy a ser padre y soy autónomo", {"autonomos"}),
        ("Me di de alta como autónomo en marzo y estoy de baja", {"autonomos"}),
        ("Trabajador autónomo de baja", {"autonomos"}),
        ("¿Puede un autónomo cobrar la baja?", {"autonomos"}),
        ("Estoy en el régimen general y de baja", {"general"}),
        ("trabajo por cuenta ajena", {"general"}),
        ("soy asalariada en una tienda", {"general"}),
        ("Soy empleado de una panadería", {"general"}),
        ("Soy empleada de hogar y estoy de baja", {"general"}),
        ("Antes era autónomo y ahora soy asalariado", {"general"}),
        ("Fui autónomo diez años y ahora trabajo por cuenta ajena", {"general"}),
        ("No soy autónomo, trabajo por cuenta ajena", {"general"}),
        ("Mi marido es autónomo y yo soy asalariada", {"general"}),
        ("Soy funcionaria de carrera y estoy de baja", {NOT_HELD}),
        ("soy funcionario, ¿a qué edad me jubilo?", {NOT_HELD}),
        ("Estoy en clases pasivas, ¿cuándo me jubilo?", {NOT_HELD}),
        ("soy mutualista de MUFACE y estoy de baja", {NOT_HELD}),
        ("Soy personal estatutario del servicio de salud", {NOT_HELD}),
        ("soy enfermera estatutaria fija", {NOT_HELD}),
        ("Cotizo en el régimen especial de trabajadores del mar", {NOT_HELD}),
        ("cotizo al régimen del mar y estoy de baja", {NOT_HELD}),
        ("Trabajo como funcionario interino", {NOT_HELD}),
        ("estoy en el régimen especial de la minería del carbón", {NOT_HELD}),
        ("Cliente funcionario con baja de un año", {NOT_HELD}),
        ("funcionario de carrera, baja médica", {NOT_HELD}),
        ("excedencia de un funcionario", {NOT_HELD}),
        ("Soy guardia civil", {NOT_HELD}),
        ("funcionarios: ¿permiso de nacimiento?", {NOT_HELD}),
        ("Facturo como freelance a tres clientes y estoy embarazada", {"autonomos"}),
    ],
)
def test_the_regime_that_is_named(text, values):
    assert own("laboral", "regimen", text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Antes era autónomo",
        "mi marido es autónomo",
        "La empresa contrata a un autónomo para hacer mi trabajo",
        "Me han sustituido por un autónomo",
        "Quiero hacerme autónomo con el paro",
        "¿Puedo capitalizar el paro para darme de alta como autónomo?",
        "Cobro el paro y si me doy de alta como autónomo ¿lo pierdo?",
        "Quiero pedir una excedencia para montar mi negocio",
        "Quiero trabajar por cuenta propia",
        "No soy autónomo",
        "Mi jefe es autónomo y no me paga",
        "Trabajo para un autónomo que no me paga",
        "Soy falso autónomo",
        "¿Puedo trabajar por cuenta ajena mientras cobro el cese?",
        "Soy autónomo y quiero despedir a mi empleada",
        "¿Y si fuera autónomo?",
        "Vivo en la comunidad autónoma de Madrid",
        "La comunidad autónoma me deniega la ayuda",
        "El funcionario del SEPE me dijo que no",
        "Mi padre es funcionario",
        "En general, ¿cuánto dura la baja?",
        "Trabajo en un hotel junto al mar",
        "Tengo un hijo que es autónomo",
        "Mi hermana trabaja por cuenta ajena",
        "He sido autónomo cinco años",
        "Dejé de ser autónomo en mayo",
        "Me voy de la empresa por mi cuenta",
        "¿Compatibilizar el paro con ser autónomo?",
        "Trabajo en el campo, sistema especial agrario",
        "El gerente me obliga a darme de alta como autónoma",
        "me piden que me haga autónomo",
        "Un general me dijo que no",
        "¿Qué pasa con el paro si monto mi negocio?",
        "Pareja autónoma, yo en paro",
        "Trabajo en la empresa de un autónomo",
        "Me despidió un autónomo",
        "Un funcionario me atendió mal",
        "He montado mi negocio con el paro capitalizado",
        "La empresa me dice que me dé de alta de autónomo",
    ],
)
def test_what_is_not_the_regime_of_the_case_is_not_named(text):
    assert own("laboral", "regimen", text) == set()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Tengo un contrato temporal y me despiden", {"temporal"}),
        ("Se me acaba el contrato temporal", {"temporal"}),
        ("Soy temporal en el ayuntamiento", {"temporal"}),
        ("tenía un contrato de duración determinada y me han echado", {"temporal"}),
        ("Me hicieron un contrato eventual", {"temporal"}),
        ("contrato por obra o servicio que acaba", {"temporal"}),
        ("trabajo con contrato de sustitución", {"temporal"}),
        ("soy interina y me cesan", {"temporal"}),
        ("dos contratos temporales seguidos", {"temporal"}),
        ("trabajadora con contrato indefinido", {"indefinido"}),
        ("soy fija en la empresa", {"indefinido"}),
        ("soy indefinido desde 2010", {"indefinido"}),
        ("llevo cinco años como fijo", {"indefinido"}),
        ("estoy fijo en una fábrica", {"indefinido"}),
        ("Mi contrato es indefinido a tiempo parcial", {"indefinido"}),
        ("contrato a tiempo parcial indefinido", {"indefinido"}),
        ("Soy fija discontinua y no me llaman", {"fijo_discontinuo"}),
        ("contrato fijo-discontinuo", {"fijo_discontinuo"}),
        ("los fijos discontinuos, ¿cobran paro?", {"fijo_discontinuo"}),
        ("antes tenía un contrato temporal y ahora indefinido", {"indefinido"}),
        ("Antes tenía un contrato temporal y ahora soy indefinida", {"indefinido"}),
        ("Pasé de temporal a indefinido; mi contrato es indefinido", {"indefinido"}),
        ("No tengo contrato indefinido, soy temporal", {"temporal"}),
        ("me echan y tengo un contrato en prácticas", {NOT_HELD}),
        ("contrato de formación en alternancia", {NOT_HELD}),
        ("Se me acaba el contrato de formación", {NOT_HELD}),
        ("contrato formativo de un año", {NOT_HELD}),
        ("soy relevista, ¿qué pasa cuando se jubile?", {NOT_HELD}),
        ("Tengo un contrato de relevo", {NOT_HELD}),
        ("soy fijo de obra y me echan", {NOT_HELD}),
        ("contrato de alta dirección: preaviso", {NOT_HELD}),
        ("Tengo un contrato mercantil", {NOT_HELD}),
        ("soy becario y me han echado", {NOT_HELD}),
        ("Estoy de becaria en una empresa", {NOT_HELD}),
        ("Trabajo con una beca", {NOT_HELD}),
        ("becaria despedida", {NOT_HELD}),
        ("tengo una beca y me echan", {NOT_HELD}),
        ("me despiden siendo temporal", {"temporal"}),
        ("tras 12 años indefinido me despiden", {"indefinido"}),
    ],
)
def test_the_contract_that_is_named(text, values):
    assert own("laboral", "tipo_contrato", text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Incapacidad temporal por enfermedad",
        "estoy de baja por incapacidad temporal",
        "Me ofrecen un contrato temporal",
        "Quiero que me hagan fijo",
        "¿Pueden hacerme indefinido?",
        "mi compañero tiene un contrato temporal",
        "Han contratado a un temporal para mi puesto",
        "Contrataron a otro con contrato temporal y a mí me despiden",
        "Mi sueldo fijo es de 1.200",
        "precio fijo",
        "un permiso eventual",
        "Jubilación parcial con contrato de relevo",
        "Requisitos de la jubilación parcial con contrato de relevo",
        "cuyo único cliente rescinde el contrato mercantil sin preaviso",
        "Soy TRADE con contrato mercantil y me rescinden",
        "Tengo plus fijo y plus variable",
        "Mi hija está de becaria",
        "Pido el traslado temporal a otra ciudad",
        "la empresa hace una suspensión temporal de contratos",
        "¿Me dan un curso de formación en el paro?",
        "He tenido tres contratos temporales antes",
        "no soy fijo",
        "Mi marido es fijo discontinuo",
        "Pasé de temporal a otra cosa",
        "El despido de un indefinido cuesta más?",
        "Las prácticas de la empresa son abusivas",
        "Director de relaciones con los sindicatos y formación",
        "la empresa fija el horario",
        "a fecha fija",
        "me gustaría un contrato fijo",
    ],
)
def test_what_is_not_the_contract_of_the_case_is_not_named(text):
    assert own("laboral", "tipo_contrato", text) == set()


def test_a_mention_says_what_is_named_as_it_is_written():
    assert read("plan_401k", "my LT-Trust account; I used to have a Fidelity account") == [
        Mention("record_keeper", LT, "LT-Trust", "own"),
        Mention("record_keeper", NOT_HELD, "Fidelity", "former"),
    ]
    assert [mention.held for mention in read("plan_401k", "my Voya 401(k)")] == [False, True]


def test_the_same_words_are_named_once():
    assert len(read("plan_401k", "Meridian fees. What does Meridian charge? MERIDIAN?")) == 2


def test_the_topic_is_no_mention():
    assert read("laboral", "me han despedido, ¿tengo paro?") == []


def tool_field(**keys: object) -> FilterField:
    return FilterField.model_validate({"name": "tool", "label": "Tool", "values": {"saw": ["hacksaw"]}, **keys})


@pytest.fixture
def named() -> Callable[[str, FilterField], list[tuple[str, str]]]:
    """Return the values and words that a text names of one field."""
    return lambda text, field: [(m.value, m.words) for m in mentions(text, [field], language("en"))]


def test_a_field_without_frames_is_named_wherever_its_values_stand(named):
    assert named("Two Saws and a hacksaw", tool_field()) == [("saw", "Saws"), ("saw", "hacksaw")]
    assert named("no sawdust here", tool_field()) == []


def test_a_field_with_frames_is_named_in_them_alone_but_for_the_words_that_need_none(named):
    field = tool_field(frames=[r"with (?:a|the) §"], named_by={"saw": ["sawing"]}, others={"axe": ["hatchet"]})

    assert named("with a saw", field) == [("saw", "saw")]
    assert named("I saw it", field) == []
    assert named("tired of sawing", field) == [("saw", "sawing")]
    assert named("with the hatchet", field) == [("", "hatchet")]
    assert named("my axe", field) == []


def test_the_words_of_a_name_stand_together(named):
    field = tool_field(values={"saw bench": []})

    assert named("a saw-bench", field) == [("saw bench", "saw-bench")]
    assert named("a saw ... bench", field) == []


def test_what_stands_aside_is_not_named(named):
    field = tool_field(aside=[r"lent me (?:a|the) §"])

    assert named("they lent me a saw", field) == []
    assert named("they sold me a saw", field) == [("saw", "saw")]


def test_the_longest_name_is_the_one_that_is_named(named):
    field = tool_field(others={"chain saw": [], "saw bench": []})

    assert named("a chain saw", field) == [("", "chain saw")]
    assert named("a saw bench", field) == [("", "saw bench")]


@pytest.mark.parametrize("written", ["Fidelty", "Fidelitty", "Fidekity", "Fideltiy"])
def test_one_letter_of_a_long_proper_name_may_be_wrong(written, named):
    assert named(written, tool_field(values={"Fidelity": []})) == [("Fidelity", written)]


@pytest.mark.parametrize("written", ["Fdlity", "Infidelity", "Fidelio", "Zidelity"])
def test_other_words_are_other_words(written, named):
    assert named(written, tool_field(values={"Fidelity": []})) == []


def test_a_short_name_and_a_common_word_are_taken_as_they_are(named):
    assert named("Voia", tool_field(values={"Voya": []})) == []
    assert named("temporel", tool_field(values={"temporal": []})) == []


def test_a_proper_name_in_small_letters_has_a_mark_of_its_own(named):
    field = tool_field(values={"Principal": []}, frames=["the §", "by [§~]"])

    assert named("the Principal", field) == [("Principal", "Principal")]
    assert named("the principal", field) == []
    assert named("by principal", field) == [("Principal", "principal")]


def test_the_marks_in_a_text_stand_for_nothing(named):
    field = tool_field(frames=["with §"])

    assert named("with § 5 of the law, a saw", field) == []


@given(st.text(max_size=200))
def test_any_text_is_read_and_words_are_its_own(text):
    for profile in PROFILES:
        for mention in read(profile, text):
            assert mention.words in text


@given(
    st.lists(
        st.sampled_from(
            ["my", "LT", "Trust", "401", "(k)", "Fidelity", "at", "soy", "autónomo", "no", "§", "temporal", "."]
        ),
        max_size=12,
    )
)
def test_the_value_is_one_of_the_field_or_none(words):
    for name, profile in PROFILES.items():
        values = {field.name: set(field.values) for field in profile.filter_fields}
        for mention in read(name, " ".join(words)):
            assert mention.value in values[mention.field] | {NOT_HELD}
