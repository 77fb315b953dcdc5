"""Reader of a BOE XML file ("API legislación consolidada", 28 June 2024): a law with every wording."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from articulado.ingestion.boe.blocks import LawFacts, read_blocks, tidy
from articulado.ingestion.boe.cache import Element, parse_xml
from articulado.ingestion.boe.wordings import iso_day, norm_in
from articulado.ingestion.effects import effects_of
from articulado.ingestion.model import Law, LawStatus, Provision, unique_wording_keys
from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.translation import reason
from articulado.legal.laws.registry import kind_of_code
from articulado.legal.territory.mentions import community_of
from articulado.legal.wordings import with_article
from articulado.values.errors import InvalidInput

_REPEALS = ("210", "216", "217", "214", "212")
"""Codes of relations that repeal a whole law, the plainest first; 211, 213 and 215 repeal parts."""

_ANNULMENTS = ("220", "470", "230")


def read_boe(path: Path, *, today: date | None = None) -> Law:
    """Read one law; ``today`` decides only the status of texts that end on a known day."""
    root = _root(path)
    data = root if root.tag == "data" else root.find("data")
    metadata = data.find("metadatos") if data is not None else None
    if data is None or metadata is None:
        raise InvalidInput(
            f"El fichero «{path}» no es una norma de la API de legislación consolidada del BOE: le faltan los "
            "metadatos. Descárguela entera (…/legislacion-consolidada/id/<identificador>)."
        )
    text = data.find("texto")
    if text is None or text.find("bloque") is None:
        raise InvalidInput(
            f"El fichero «{path}» solo contiene datos de la norma, sin su texto. Descargue la norma entera "
            "(…/legislacion-consolidada/id/<identificador>, sin «/metadatos»)."
        )
    law_id, title = _field(path, metadata, "identificador"), _field(path, metadata, "titulo").removesuffix(".")
    published = iso_day(metadata.findtext("fecha_publicacion"))
    if published is None:
        raise InvalidInput(
            f"En el fichero «{path}» la fecha de publicación de la norma no es válida. Descárguela otra vez."
        )
    now = (today or date.today()).isoformat()
    later = data.findall("analisis/referencias/posteriores/posterior")
    norms = {
        tidy(relation.findtext("id_norma")): norm_in(" " + tidy(relation.findtext("texto")))
        for relation in reversed(later)
    }
    wordings = unique_wording_keys(read_blocks(text, LawFacts(law_id, published, norms, now)))
    provisions = list(_with_own_days(wordings, published, iso_day(metadata.findtext("fecha_vigencia"))))
    if not provisions:
        raise InvalidInput(f"El fichero «{path}» no contiene ningún precepto. Descargue la norma otra vez.")
    status, valid_to, note = _end(metadata, later, now)
    return Law(
        id=law_id,
        title=title,
        rank=_kind(metadata.find("rango")),
        published=published,
        status=status,
        valid_to=valid_to,
        status_note=note,
        provisions=tuple(provisions),
        territory=community_of(_code(metadata, "ambito"), tidy(metadata.findtext("departamento"))),
    )


def _with_own_days(wordings: Sequence[Provision], published: str, entry: str | None) -> Iterator[Provision]:
    """Replace the day of publication or entry into force by the first day that the final provisions give."""
    effects = effects_of(wordings, published)
    undistinguished, seen = {published, entry, effects.entry}, set[str]()
    for wording in wordings:
        day = effects.own.get(wording.key) or effects.begins
        is_first = wording.key not in seen
        seen.add(wording.key)
        if is_first and day and wording.valid_from in undistinguished and day < (wording.valid_to or "9999"):
            wording = replace(wording, valid_from=day)
        yield wording


def _root(path: Path) -> Element:
    try:
        return parse_xml(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"El fichero «{path}» no se puede leer: {reason(error)}.") from error
    except ValueError as error:
        raise InvalidInput(
            f"El fichero «{path}» no es XML válido, o está cortado. Descargue la norma otra vez."
        ) from error


def _field(path: Path, metadata: Element, name: str) -> str:
    value = tidy(metadata.findtext(name))
    if not value:
        raise InvalidInput(f"Al fichero «{path}» le falta el dato «{name}» de la norma. Descárguela otra vez.")
    return value


def _code(metadata: Element, name: str) -> str:
    element = metadata.find(name)
    return str(element.get("codigo", "")) if element is not None else ""


def _kind(rank: Element | None) -> str:
    if rank is None:
        return ""
    return kind_of_code(rank.get("codigo", "")) or fold(tidy(rank.text)).replace("-", "_").replace(" ", "_")


def _end(metadata: Element, later: list[Element], today: str) -> tuple[LawStatus, str | None, str]:
    for flag, day_name, word, codes in (
        ("estatus_derogacion", "fecha_derogacion", "derogada", _REPEALS),
        ("estatus_anulacion", "fecha_anulacion", "anulada", _ANNULMENTS),
    ):
        if metadata.findtext(flag) != "S":
            continue
        day = iso_day(metadata.findtext(day_name))
        future = day is not None and day > today
        note = f"Norma {word}"
        note += f", con efectos de {long_day(day)}" if day else ""
        by = _agent(later, codes)
        return "in_force" if future else "repealed", day, f"{note}{f', por {by}' if by else ''}."
    if metadata.findtext("vigencia_agotada") == "S":
        return "expired", None, "Norma de vigencia agotada."
    return "in_force", None, ""


def _agent(later: list[Element], codes: tuple[str, ...]) -> str:
    by_code = {_code(relation, "relacion"): relation for relation in reversed(later)}
    relation = next((by_code[code] for code in codes if code in by_code), None)
    if relation is None:
        return ""
    return with_article(norm_in(" " + tidy(relation.findtext("texto"))), tidy(relation.findtext("id_norma")))
