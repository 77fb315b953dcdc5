from pathlib import Path

import pytest

from ingestion.law_chunks import law_chunks
from ingestion.laws import Law, Provision
from ingestion.markdown import read_law
from ingestion.references import Unresolved, resolve_refs
from state.chunks import Chunk

DATA = Path(__file__).resolve().parents[1] / "data" / "laws"
ET = "BOE-A-2015-11430"


def law(law_id, *provisions, status="in_force", published="2015-10-24", note="", valid_to=None):
    return Law(law_id, f"Título de {law_id}", "ley", published, status, valid_to, note, provisions)


def article(number, text, title=""):
    return Provision(f"Artículo {number}", f"art:{number}", title, "", tuple(text.split("\n\n")))


def refs(chunks, law_id, key, part=1):
    """Return what a chunk refers to, as (law, key, part)."""
    by_id = {one["id"]: (one["law_id"], one["provision_key"], one["part"]) for one in chunks}
    (source,) = [one for one in chunks if (one["law_id"], one["provision_key"], one["part"]) == (law_id, key, part)]
    return [by_id[ref] for ref in source["refs"]]


def test_a_chunk_has_every_field():
    chunks = law_chunks(read_law(DATA / "approved.md"))
    assert set(chunks[0]) == set(Chunk.__annotations__)
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
    chunks = resolve_refs(law_chunks(read_law(DATA / "approved.md")) + law_chunks(law(ET, article(37, "Descanso."))))
    assert refs(chunks, "BOE-A-2001-9001", "art:1") == [
        (ET, "art:37", 1),
        ("BOE-A-2001-9001", "art:1 bis", 1),
        ("BOE-A-2001-9001", "df:unica", 1),
    ]
    assert refs(chunks, "BOE-A-2001-9001", "df:unica") == [("BOE-A-2001-9001", "art:1", 1)]


def test_the_part_that_holds_the_apartado_else_the_first():
    long = "1. " + "Uno. " * 300 + "\n\n2. " + "Dos. " * 300
    chunks = resolve_refs(
        law_chunks(law(ET, article(1, long), article(2, "Véase el artículo 1.2."), article(3, "El artículo 1.")))
    )
    assert refs(chunks, ET, "art:2") == [(ET, "art:1", 2)]
    assert refs(chunks, ET, "art:3") == [(ET, "art:1", 1)]


def test_the_other_parts_of_the_provision_come_first_the_nearest_before_the_rest():
    apartados = [f"{n}. El artículo 1 y el artículo 2. " + "Texto. " * 250 for n in range(1, 5)]
    chunks = resolve_refs(law_chunks(law(ET, article(1, "\n\n".join(apartados)), article(2, "Fin."))))
    own = [(ET, "art:1", part) for part in (1, 3, 4)]
    assert refs(chunks, ET, "art:1", part=2) == [*own, (ET, "art:2", 1)]


def test_an_amendment_cites_the_law_that_it_amends():
    lprl = law("BOE-A-1995-24292", article(14, "Derecho."), article(16, "Plan."), published="1995-11-10")
    chunks = resolve_refs(law_chunks(read_law(DATA / "amending.md")) + law_chunks(lprl))
    assert refs(chunks, "BOE-A-2020-9002", "da:unica") == [
        ("BOE-A-1995-24292", "art:14", 1),
        ("BOE-A-1995-24292", "art:16", 1),
    ]


@pytest.mark.parametrize(
    "text",
    ["Quedan derogados: 1. De la Ley 30/1984, los artículos 2 y 3.", "Queda redactado así: «Artículo 2. Uno.»"],
)
def test_what_is_repealed_or_quoted_is_not_ours(text):
    own = Provision("Disposición derogatoria única", "dd:unica", "", "", (text,))
    quoting = Provision("Disposición adicional primera", "da:1", "", "", (text,))
    chunks = resolve_refs(law_chunks(law(ET, article(2, "Dos."), article(3, "Tres."), own)))
    assert refs(chunks, ET, "dd:unica") == []
    if "«" in text:
        chunks = resolve_refs(law_chunks(law(ET, article(2, "Dos."), quoting)))
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
    chunks = resolve_refs([chunk for one in (regulation, old, new) for chunk in law_chunks(one)])
    assert refs(chunks, "BOE-A-1996-1579", "art:1") == [("BOE-A-1994-14960", "art:109", 1)]
    assert refs(chunks, "BOE-A-1996-1579", "art:2") == [
        ("BOE-A-2015-11724", "art:109", 1),
        ("BOE-A-2015-11724", "art:308", 1),
    ]


def test_a_range_label_answers_for_its_articles():
    span = Provision("Artículos 30 a 44", "art:30-44", "", "", ("(Derogados)",))
    chunks = resolve_refs(law_chunks(law(ET, article(1, "Véase el artículo 35."), span)))
    assert refs(chunks, ET, "art:1") == [(ET, "art:30-44", 1)]


def test_what_leads_nowhere_is_reported_by_cause():
    unresolved: list[Unresolved] = []
    text = "El artículo 99. El artículo 5 de la Ley 40/2007 y el artículo 14 de la Constitución."
    resolve_refs(law_chunks(law(ET, article(1, text))), unresolved)
    assert [one.cause for one in unresolved] == ["no such provision", "unknown law", "law not held"]


def test_the_chunks_given_are_not_changed():
    chunks = law_chunks(law(ET, article(1, "El artículo 2."), article(2, "Dos.")))
    resolve_refs(chunks)
    assert chunks[0]["refs"] == []


def test_the_real_laws(real_laws):
    chunks = [chunk for path in sorted(real_laws.glob("*.md")) for chunk in law_chunks(read_law(path))]
    unresolved: list[Unresolved] = []
    resolved = resolve_refs(chunks, unresolved)
    assert len({one["id"] for one in resolved}) == len(resolved)
    assert max(len(one["text"]) for one in resolved) <= 2000
    assert sum(len(one["refs"]) for one in resolved) > 5000
    # Articles that do not exist are what a wrong law looks like.
    assert sum(one.cause == "no such provision" for one in unresolved) < 60
    assert not any(one.cause == "law not held" for one in unresolved)
    assert (ET, "art:42", 1) in refs(resolved, "BOE-A-2015-11724", "art:168")
