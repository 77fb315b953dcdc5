"""Small laws of our own in the BOE's XML."""

from datetime import date
from pathlib import Path

from articulado.ingestion.boe.reader import read_boe
from articulado.ingestion.model import Law

TODAY = date(2024, 6, 1)
LAW = "BOE-A-2001-9001"
METADATA = {
    "fecha_actualizacion": "20240101T000000Z",
    "identificador": LAW,
    "ambito": ("1", "Estatal"),
    "departamento": ("7723", "Jefatura del Estado"),
    "rango": ("1300", "Ley"),
    "titulo": "Ley 9/2001, de 2 de febrero, de Pruebas.",
    "fecha_publicacion": "20010203",
    "estatus_derogacion": "N",
    "estatus_anulacion": "N",
    "vigencia_agotada": "N",
}


def version(body: str, start: str = "20010301", published: str = "20010203", norm: str = LAW) -> str:
    return f'<version id_norma="{norm}" fecha_publicacion="{published}" fecha_vigencia="{start}">{body}</version>'


def block(title: str, *versions: str, id: str = "b1", tipo: str = "precepto", **attributes: str) -> str:
    """Return a block; a version that is plain text becomes one in force from 1 March 2001."""
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    inside = "".join(one if one.startswith("<version") else version(one) for one in versions)
    return f'<bloque id="{id}" tipo="{tipo}" titulo="{title}"{more}>{inside}</bloque>'


def article(heading: str, *paragraphs: str) -> str:
    return f'<p class="articulo">{heading}</p>' + "".join(f'<p class="parrafo">{text}</p>' for text in paragraphs)


def note(text: str, css: str = "nota_pie") -> str:
    return f'<blockquote><p class="{css}">{text}</p></blockquote>'


def posterior(code: str, law_id: str, text: str) -> str:
    """Return what the analysis says of a later norm."""
    return f'<posterior><id_norma>{law_id}</id_norma><relacion codigo="{code}"/><texto>{text}</texto></posterior>'


def read_law_of(folder: Path, *blocks: str, later: str = "", **metadata: object) -> Law:
    """Read a law of these blocks as of ``TODAY``; ``later`` are posteriors."""
    return read_boe(write_law_xml(folder / "full.xml", *blocks, later=later, **metadata), today=TODAY)


def write_law_xml(path: Path, *blocks: str, later: str = "", **metadata: object) -> Path:
    """Write a law of these blocks; ``later`` are posteriors."""
    fields = ""
    for name, value in {**METADATA, **metadata}.items():
        code, text = value if isinstance(value, tuple) else (None, value)
        fields += f"<{name}" + (f' codigo="{code}"' if code else "") + f">{text}</{name}>"
    analysis = f"<analisis><referencias><posteriores>{later}</posteriores></referencias></analisis>"
    data = f"<data><metadatos>{fields}</metadatos>{analysis}<texto>{''.join(blocks)}</texto></data>"
    path.write_text(f"<response><status/>{data}</response>", encoding="utf-8")
    return path
