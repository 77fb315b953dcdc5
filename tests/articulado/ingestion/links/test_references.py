from datetime import date

import pytest
from support.paths import DATA

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.history.wordings import merge_snapshots, read_reforms, read_snapshot
from articulado.ingestion.links import references
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.ingestion.links.references import UnresolvedCitation
from articulado.ingestion.markdown.reader import read_law
from articulado.ingestion.model import Law, Provision
from articulado.legal.ids import nearest_part_ids
from articulado.values.chunks import Chunk

ET, ET_1995 = "BOE-A-2015-11430", "BOE-A-1995-7730"
TODAY = date(2026, 6, 1)


def law(law_id, *provisions, status="in_force", published="2015-10-24", note="", valid_to=None):
    return Law(law_id, f"Título de {law_id}", "", published, status, valid_to, note, provisions)


def article(number, text, title=""):
    return Provision(f"Artículo {number}", f"art:{number}", title, "", tuple(text.split("\n\n")))


def wording(number, text, since, until=None):
    return Provision(
        f"Artículo {number}", f"art:{number}", "", "", tuple(text.split("\n\n")), valid_from=since, valid_to=until
    )


def resolve(chunks, unresolved=None, **options):
    return references.resolve_refs(chunks, ProvisionIndex.of(chunks), unresolved, **options)


def current(provisions, chunks, **options):
    return references.current_chunk_ids(provisions, ProvisionIndex.of(chunks), **options)


def wordings_cited(chunks, key, since, part=1):
    """Return what a wording refers to, as (key, first day, part), read on ``TODAY``."""
    resolved = resolve(chunks, today=TODAY)
    by_id = {one["id"]: (one["provision_key"], one["valid_from"], one["part"]) for one in resolved}
    sources = [one for one in resolved if (one["provision_key"], one["valid_from"], one["part"]) == (key, since, part)]
    return [by_id[ref] for ref in sources[0]["refs"]]


def refs(chunks, law_id, key, part=1):
    """Return what a chunk refers to, as (law, key, part)."""
    by_id = {one["id"]: (one["law_id"], one["provision_key"], one["part"]) for one in chunks}
    (source,) = [one for one in chunks if (one["law_id"], one["provision_key"], one["part"]) == (law_id, key, part)]
    return [by_id[ref] for ref in source["refs"]]


def test_a_chunk_has_every_field():
    chunks = law_chunks(read_law(DATA / "laws" / "approved.md"))
    assert set(chunks[0]) == Chunk.__required_keys__ | {"law_days"}
    one = next(chunk for chunk in chunks if chunk["provision_key"] == "art:1")
    assert (one["collection"], one["rank"], one["kind"]) == ("normativa", 4, "real_decreto")
    assert one["law_name"] == "Real Decreto 9/2001, de 2 de marzo, por el que se aprueba el Reglamento de descansos"
    assert (one["provision"], one["title"], one["part"], one["parts"]) == ("Artículo 1", "Objeto", 1, 1)
    assert (one["valid_from"], one["valid_to"], one["status"]) == ("2001-03-05", None, "vigente")
    assert one["url"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2001-9001#a1"
    assert len({chunk["id"] for chunk in chunks}) == len(chunks)


def test_the_registry_names_and_ranks_a_known_law():
    (one,) = law_chunks(law("BOE-A-1996-1579", article(1, "Texto.")))
    assert (one["law_name"], one["rank"]) == ("Reglamento General de Cotización", 3)


def test_a_repealed_law_says_what_replaced_it():
    (one,) = law_chunks(
        law("BOE-A-1995-7730", article(1, "Texto."), status="repealed", note="Norma derogada.", valid_to="2015-11-13")
    )
    assert (one["status"], one["valid_to"]) == ("derogada", "2015-11-13")
    assert one["status_note"] == (
        "Norma derogada. La sustituye: Estatuto de los Trabajadores (Real Decreto Legislativo 2/2015)."
    )


def test_an_expired_law():
    (one,) = law_chunks(law("BOE-A-2025-2576", article(1, "Texto."), status="expired"))
    assert (one["status"], one["valid_to"]) == ("agotada", "2026-01-01")


def test_references_within_and_across_laws():
    chunks = resolve(
        law_chunks(read_law(DATA / "laws" / "approved.md")) + law_chunks(law(ET, article(37, "Descanso.")))
    )
    assert refs(chunks, "BOE-A-2001-9001", "art:1") == [
        (ET, "art:37", 1),
        ("BOE-A-2001-9001", "art:1 bis", 1),
        ("BOE-A-2001-9001", "df:unica", 1),
    ]
    assert refs(chunks, "BOE-A-2001-9001", "df:unica") == [("BOE-A-2001-9001", "art:1", 1)]


def test_reference_leads_to_the_part_with_the_apartado_else_the_first():
    long = "1. " + "Uno. " * 300 + "\n\n2. " + "Dos. " * 300
    chunks = resolve(
        law_chunks(law(ET, article(1, long), article(2, "Véase el artículo 1.2."), article(3, "El artículo 1.")))
    )
    assert refs(chunks, ET, "art:2") == [(ET, "art:1", 2)]
    assert refs(chunks, ET, "art:3") == [(ET, "art:1", 1)]


def test_the_other_parts_of_a_provision_follow_from_what_a_part_is():
    apartados = [f"{n}. El artículo 1 y el artículo 2. " + "Texto. " * 250 for n in range(1, 5)]
    chunks = resolve(law_chunks(law(ET, article(1, "\n\n".join(apartados)), article(2, "Fin."))))
    assert refs(chunks, ET, "art:1", part=2) == [(ET, "art:2", 1)], "what is told by its number is not listed"
    by_id = {chunk["id"]: chunk["part"] for chunk in chunks}
    assert [by_id[other] for other in nearest_part_ids(chunks[1])] == [1, 3, 4]


def test_a_part_of_a_long_provision_goes_with_the_nearest_ones_alone():
    apartados = [f"{n}. " + "Texto. " * 280 for n in range(1, 41)]
    chunks = resolve(law_chunks(law(ET, article(1, "\n\n".join(apartados)))))
    assert len(chunks) == 40
    by_id = {chunk["id"]: chunk["part"] for chunk in chunks}
    nearest = [20 + side * distance for distance in range(1, 9) for side in (-1, 1)]
    assert [by_id[other] for other in nearest_part_ids(chunks[19])] == nearest
    assert [by_id[other] for other in nearest_part_ids(chunks[0])] == list(range(2, 18))


def test_an_amendment_cites_the_law_that_it_amends():
    lprl = law("BOE-A-1995-24292", article(14, "Derecho."), article(16, "Plan."), published="1995-11-10")
    chunks = resolve(law_chunks(read_law(DATA / "laws" / "amending.md")) + law_chunks(lprl))
    assert refs(chunks, "BOE-A-2020-9002", "da:unica") == [
        ("BOE-A-1995-24292", "art:14", 1),
        ("BOE-A-1995-24292", "art:16", 1),
    ]


@pytest.mark.parametrize(
    "text",
    ["Quedan derogados: 1. De la Ley 30/1984, los artículos 2 y 3.", "Queda redactado así: «Artículo 2. Uno.»"],
)
def test_repealed_or_quoted_articles_are_no_own_references(text):
    own = Provision("Disposición derogatoria única", "dd:unica", "", "", (text,))
    quoting = Provision("Disposición adicional primera", "da:1", "", "", (text,))
    chunks = resolve(law_chunks(law(ET, article(2, "Dos."), article(3, "Tres."), own)))
    assert refs(chunks, ET, "dd:unica") == []
    if "«" in text:
        chunks = resolve(law_chunks(law(ET, article(2, "Dos."), quoting)))
        assert refs(chunks, ET, "da:1") == []


def test_an_old_regulation_amended_lately_cites_the_new_law():
    regulation = law(
        "BOE-A-1996-1579",
        article(1, "Según el artículo 109 de la Ley General de la Seguridad Social."),
        article(2, "Los artículos 109 y 308 de la Ley General de la Seguridad Social."),
        published="1996-01-25",
    )
    old = law("BOE-A-1994-14960", article(109, "Base."), status="repealed", published="1994-06-29")
    new = law("BOE-A-2015-11724", article(109, "Otra."), article(308, "Cuota."), published="2015-10-31")
    chunks = resolve([chunk for one in (regulation, old, new) for chunk in law_chunks(one)])
    assert refs(chunks, "BOE-A-1996-1579", "art:1") == [("BOE-A-1994-14960", "art:109", 1)]
    assert refs(chunks, "BOE-A-1996-1579", "art:2") == [
        ("BOE-A-2015-11724", "art:109", 1),
        ("BOE-A-2015-11724", "art:308", 1),
    ]


def test_a_range_label_answers_for_its_articles():
    span = Provision("Artículos 30 a 44", "art:30-44", "", "", ("(Derogados)",))
    chunks = resolve(law_chunks(law(ET, article(1, "Véase el artículo 35."), span)))
    assert refs(chunks, ET, "art:1") == [(ET, "art:30-44", 1)]


def test_unresolved_citations_are_reported_by_cause():
    unresolved: list[UnresolvedCitation] = []
    text = "El artículo 99. El artículo 5 de la Ley 40/2007 y el artículo 14 de la Constitución."
    resolve(law_chunks(law(ET, article(1, text))), unresolved)
    assert [one.cause for one in unresolved] == ["no such provision", "unknown law", "law not held"]


def test_a_wording_leads_to_the_wording_of_its_last_day():
    chunks = law_chunks(
        law(
            ET,
            wording(1, "El artículo 2.", None, "2020-01-01"),
            wording(1, "El artículo 2 y algo más.", "2020-01-01"),
            wording(2, "Uno.", None, "2019-12-31"),
            wording(2, "Dos.", "2019-12-31", "2020-01-01"),
            wording(2, "Tres.", "2020-01-01", "2026-06-02"),
            wording(2, "Cuatro.", "2026-06-02"),
        )
    )
    # Its last day is 2019-12-31, which is the only one of the second wording.
    assert wordings_cited(chunks, "art:1", "2015-11-13") == [("art:2", "2019-12-31", 1)]
    # The fourth wording comes into force tomorrow.
    assert wordings_cited(chunks, "art:1", "2020-01-01") == [("art:2", "2020-01-01", 1)]


def test_a_wording_that_is_not_yet_in_force_leads_to_what_will_be():
    chunks = law_chunks(
        law(
            ET,
            wording(1, "El artículo 2.", "2027-01-01"),
            wording(2, "Uno.", None, "2027-01-01"),
            wording(2, "Dos.", "2027-01-01"),
        )
    )
    assert wordings_cited(chunks, "art:1", "2027-01-01") == [("art:2", "2027-01-01", 1)]


def test_a_provision_without_a_wording_of_that_day_is_cited_in_the_last_one_before():
    chunks = law_chunks(law(ET, article(1, "El artículo 2."), wording(2, "Uno.", None, "2020-01-01")))
    assert wordings_cited(chunks, "art:1", "2015-11-13") == [("art:2", "2015-11-13", 1)]


def test_parts_of_another_wording_are_no_siblings():
    long = "\n\n".join(f"{n}. " + "Texto. " * 250 for n in (1, 2))
    chunks = law_chunks(law(ET, wording(1, long, None, "2020-01-01"), wording(1, long + " Fin.", "2020-01-01")))
    of_2020 = [chunk for chunk in chunks if chunk["valid_from"] == "2020-01-01"]
    assert nearest_part_ids(of_2020[0]) == [of_2020[1]["id"]]


def test_another_wording_of_the_same_provision_is_not_cited():
    chunks = law_chunks(
        law(ET, wording(1, "El artículo 1.", None, "2020-01-01"), wording(1, "El artículo 1 bis.", "2020-01-01"))
    )
    assert wordings_cited(chunks, "art:1", "2015-11-13") == []


def test_neighbours_are_the_provisions_of_the_day_and_not_their_wordings():
    chunks = law_chunks(
        law(
            ET,
            article(1, "Uno."),
            wording("1 bis", "Nuevo.", "2020-01-01"),
            wording(2, "El artículo anterior y el artículo siguiente.", None, "2021-01-01"),
            wording(2, "El artículo anterior y el artículo siguiente, claro.", "2021-01-01"),
            article(3, "Tres."),
        )
    )
    until_2015 = [("art:1", "2015-11-13", 1), ("art:3", "2015-11-13", 1)]
    assert wordings_cited(chunks, "art:2", "2015-11-13") == until_2015
    assert wordings_cited(chunks, "art:2", "2021-01-01") == [("art:1 bis", "2020-01-01", 1), *until_2015[1:]]


def test_a_duplicate_label_is_neither_cited_nor_a_neighbour():
    quoted = Provision("Artículo 1", "art:1~2", "", "", ("Citado.",))
    decree = Provision("Artículo 2", "art:2~decreto", "", "", ("Del decreto.",))
    chunks = law_chunks(
        law(ET, decree, article(1, "Uno."), quoted, article(2, "El artículo 1, el artículo anterior y el artículo 3."))
    )
    assert refs(resolve(chunks), ET, "art:2") == [(ET, "art:1", 1)]


def test_a_duplicate_label_answers_where_no_other_does():
    decree = Provision("Disposición final única", "df:unica~decreto", "", "", ("Vigor.",))
    chunks = resolve(law_chunks(law(ET, decree, article(1, "La disposición final única."))))
    assert refs(chunks, ET, "art:1") == [(ET, "df:unica~decreto", 1)]


def test_names_are_read_as_of_the_day_of_the_wording():
    name = "El artículo 109 de la Ley General de la Seguridad Social"
    regulation = law(
        "BOE-A-1996-1579",
        wording(1, f"{name}.", None, "2020-01-01"),
        wording(1, f"{name}, hoy.", "2020-01-01"),
        published="1996-01-25",
    )
    old = law("BOE-A-1994-14960", article(109, "Base."), published="1994-06-29", valid_to="2016-01-02")
    new = law("BOE-A-2015-11724", article(109, "Otra."), published="2015-10-31")
    chunks = [chunk for one in (regulation, old, new) for chunk in law_chunks(one)]
    assert wordings_cited(chunks, "art:1", "1996-01-26") == [("art:109", "1994-09-01", 1)]
    assert wordings_cited(chunks, "art:1", "2020-01-01") == [("art:109", "2016-01-02", 1)]


def test_an_old_name_leads_to_the_successor_that_kept_the_numbers():
    decree = law(
        "BOE-A-1999-346",
        wording(1, "El artículo 15 del Estatuto de los Trabajadores.", None, "2010-01-01"),
        wording(1, "El artículo 15 del Estatuto de los Trabajadores, hoy.", "2010-01-01"),
        published="1999-01-08",
    )
    old = law(ET_1995, article(15, "Antes."), published="1995-03-29", valid_to="2015-11-13", status="repealed")
    chunks = [chunk for one in (decree, old, law(ET, article(15, "Ahora."))) for chunk in law_chunks(one)]
    assert wordings_cited(chunks, "art:1", "1999-01-09") == [("art:15", "1995-05-01", 1)]
    assert wordings_cited(chunks, "art:1", "2010-01-01") == [("art:15", "2015-11-13", 1)]


def test_an_article_that_its_law_lacks_is_of_the_law_named_nearest_that_has_it():
    decree = law(
        "BOE-A-1995-21346",
        article(1, "El artículo 14 de la Constitución y el artículo 34 del Estatuto de los Trabajadores."),
        article(2, "El artículo 34 del Estatuto de los Trabajadores y el apartado 1 del artículo 35."),
    )
    chunks = resolve([*law_chunks(decree), *law_chunks(law(ET, article(34, "Jornada."), article(35, "Extra.")))])
    assert refs(chunks, "BOE-A-1995-21346", "art:2") == [(ET, "art:34", 1), (ET, "art:35", 1)]


def test_a_later_part_may_mean_a_law_named_in_an_earlier_one():
    text = "1. El artículo 34 del Estatuto de los Trabajadores. " + "Texto. " * 280 + "\n\n2. Artículo 35 de dicha Ley."
    chunks = law_chunks(law("BOE-A-1995-21346", article(1, text)))
    chunks = resolve([*chunks, *law_chunks(law(ET, article(34, "Jornada."), article(35, "Extra.")))])
    assert refs(chunks, "BOE-A-1995-21346", "art:1", part=2)[-1] == (ET, "art:35", 1)


def test_a_document_has_no_articles_of_its_own():
    text = "El artículo 38 del Estatuto de los Trabajadores y el artículo 37. El artículo 99."
    ruling = {
        **law_chunks(law("ECLI:ES:TS:2023:1", article(1, text)))[0],
        "chunk_type": "doctrine",
        "provision_key": "ECLI:ES:TS:2023:1#1",
    }
    unresolved: list[UnresolvedCitation] = []
    chunks = resolve([ruling, *law_chunks(law(ET, article(37, "Descanso."), article(38, "Vacaciones.")))], unresolved)
    assert refs(chunks, "ECLI:ES:TS:2023:1", "ECLI:ES:TS:2023:1#1") == [(ET, "art:38", 1), (ET, "art:37", 1)]
    assert [(one.citation.provision_key, one.cause) for one in unresolved] == [("art:99", "unknown law")]


def test_interpreted_provision_is_the_first_part_in_force():
    long = "\n\n".join(f"{n}. " + "Texto. " * 250 for n in (1, 2))
    chunks = law_chunks(law(ET, wording(15, long, None, "2022-03-30"), wording(15, long + " Fin.", "2022-03-30")))
    found = current([(ET, "art:15"), (ET_1995, "art:15"), (ET, "art:99")], chunks, today=TODAY)
    by_id = {one["id"]: (one["valid_from"], one["part"]) for one in chunks}
    assert {place: by_id[id_] for place, id_ in found.items()} == {
        (ET, "art:15"): ("2022-03-30", 1),
        (ET_1995, "art:15"): ("2022-03-30", 1),
    }
    assert current([(ET, "art:15")], chunks, today=date(2020, 1, 1)) == {(ET, "art:15"): chunks[0]["id"]}


def test_input_chunks_are_not_mutated():
    chunks = law_chunks(law(ET, article(1, "El artículo 2."), article(2, "Dos.")))
    resolve(chunks)
    assert chunks[0]["refs"] == []


def _never_superseded(chunks):
    """Check that what is current leads to no wording that a later one of its provision has replaced."""
    today = date.today().isoformat()
    by_id = {one["id"]: one for one in chunks}
    last: dict[tuple[str, str], str] = {}
    for one in chunks:
        if (one["valid_from"] or "") <= today:
            place = (one["law_id"], one["provision_key"])
            last[place] = max(last.get(place, ""), one["valid_from"] or "")
    for one in chunks:
        if (one["valid_to"] or "9999") > today:
            for target in (by_id[ref] for ref in one["refs"]):
                since = last.get((target["law_id"], target["provision_key"]))
                assert since is None or (target["valid_from"] or "") >= since


def test_the_real_laws(real_laws):
    chunks = [chunk for path in sorted(real_laws.glob("*.md")) for chunk in law_chunks(read_law(path))]
    unresolved: list[UnresolvedCitation] = []
    resolved = resolve(chunks, unresolved)
    assert len({one["id"] for one in resolved}) == len(resolved)
    assert max(len(one["text"]) for one in resolved) <= 2000
    assert sum(len(one["refs"]) for one in resolved) > 5000
    _never_superseded(resolved)
    # Articles that do not exist are what a wrong law looks like.
    assert sum(one.cause == "no such provision" for one in unresolved) < 20
    assert not any(one.cause == "law not held" for one in unresolved)
    assert (ET, "art:42", 1) in refs(resolved, "BOE-A-2015-11724", "art:168")


def test_the_real_wordings(real_laws):
    folder = real_laws.parent / "laws_history"
    if not folder.is_dir():
        pytest.skip("the earlier wordings are not beside this checkout (../shared/corpus/laws_history)")
    snapshots = [read_snapshot(path) for path in [*sorted(folder.glob(f"{ET}@*.md")), real_laws / f"{ET}.md"]]
    resolved = resolve(law_chunks(merge_snapshots(snapshots, read_reforms(folder / "reforms.tsv"))))
    assert len({(one["provision_key"], one["valid_from"]) for one in resolved}) > len(
        {one["provision_key"] for one in resolved}
    )
    _never_superseded(resolved)
