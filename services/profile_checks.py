"""What must hold between the sections of a profile."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from language.folding import letters_and_digits
from services.profile_sections import FilterField

if TYPE_CHECKING:
    from services.profile import Profile

KINDS = ("article", "sentencia", "criterio", "documento")
"""Kinds of document that a profile can rank; laws have the rank of their norm."""
RECORDS = ("normativa", "sentencias", "criterios_inss")
"""Collections that the packaged records go to."""
OPTIONS = ("profile", "index", "json", "help", "rerank", "inquiry", "collected_data", "max_tokens")
"""Options of ``articulado case``, beside which the filter fields are options too."""
ARTICLE_KEYS = ("id", "title", "url", "updated", "chunks", "inquiries", "provisions")
"""Keys of an article, beside which the filter fields are keys too; but for the topic, which is one."""


def contradictions(profile: "Profile") -> Iterator[str]:
    """Yield what a profile says that cannot be, and what to do about it."""
    if profile.features.spanish_law and profile.language != "es":
        yield '[features] spanish_law pide language = "es"'
    for name in _twice(profile.names):
        yield f"hay dos [[collections]] «{name}»; deje una o dele otro nombre"
    for name in _twice(field.name for field in profile.filter_fields):
        yield f"hay dos [[filter_fields]] «{name}»; deje uno o dele otro nombre"
    yield from _unknown_names(profile)
    for field in profile.filter_fields:
        yield from _taken(field)
        yield from _ambiguous(field)
    for kind in profile.ranks:
        if kind not in KINDS:
            yield f"[ranks] «{kind}» no es una clase de documento; las que hay son {', '.join(KINDS)}"
    missing = [name for name in RECORDS if name not in profile.names]
    if profile.features.records and missing:
        yield f"[features] records pide las [[collections]] {', '.join(RECORDS)}; falta {', '.join(missing)}"


def check_field_names(profile: "Profile") -> str:
    """Return what is wrong with the name of a filter field that the state of a case has too; empty where there is none.

    Apart from the others: only a profile of one's own needs it, and it loads the graphs' library.
    """
    from state.case import CaseState

    taken = [field.name for field in profile.filter_fields if field.name in CaseState.__annotations__]
    return (
        f"[[filter_fields]] «{taken[0]}» se llama como una clave del estado de un caso; dele otro nombre"
        if taken
        else ""
    )


def _twice(names: Iterable[str]) -> list[str]:
    known = list(names)
    return sorted({name for name in known if known.count(name) > 1})


def _unknown_names(profile: "Profile") -> Iterator[str]:
    fields, case = [field.name for field in profile.filter_fields], profile.case
    for place, section, named, known in (
        (
            "[knowledge] collection",
            "collections",
            [profile.knowledge.collection] if profile.knowledge else [],
            profile.names,
        ),
        ("[case] collections", "collections", case.collections, profile.names),
        ("[case.required_data] filter", "filter_fields", case.required_data.filter or (), fields),
        ("[case.response] filter", "filter_fields", case.response.filter or (), fields),
    ):
        for name in named:
            if name not in known:
                there = ", ".join(known) or "ninguno"
                yield f"{place}: «{name}» no está en [[{section}]] (los que hay: {there})"


def _taken(field: FilterField) -> Iterator[str]:
    where = f"[[filter_fields]] «{field.name}» se llama como"
    if field.name in OPTIONS:
        yield f"{where} la opción --{field.name.replace('_', '-')} de la línea de órdenes; dele otro nombre"
    if field.name in ARTICLE_KEYS:
        yield f"{where} una clave de los artículos; dele otro nombre"


def _ambiguous(field: FilterField) -> Iterator[str]:
    claimed: dict[str, str] = {}
    for value, others in field.values.items():
        for written in (value, *others):
            if claimed.setdefault(letters_and_digits(written), value) != value:
                other = claimed[letters_and_digits(written)]
                yield (
                    f"[[filter_fields]] «{field.name}», values: «{written}» vale por «{other}» y por «{value}»; "
                    "déjelo en uno (no cuentan mayúsculas, acentos, espacios ni signos)"
                )
