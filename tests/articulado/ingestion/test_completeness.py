"""Nothing of a law is lost on its way into chunks, and nothing comes in twice.

The files are read here by a scanner of their own lines, which knows nothing of the reader that is tested.
"""

import re
from dataclasses import dataclass, field
from itertools import groupby

import pytest

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.language.table_text import without_head
from articulado.retrieval.references import Wording
from benchmarks.completeness import body_lines
from benchmarks.completeness import follow as follow_norm

LAWS = 66
LIMIT = 2_000

PROVISION = re.compile(r"#{5,6} (?:Art[íi]culos?|Art\.|Disposici(?:ón|ones)) ")
ANNEX = re.compile(r"\[?ANEXO(?: [\dIVX.]+)?\]?$")
STRUCTURE = re.compile(r"(?:#+ )?(?:LIBRO|T[IÍ]TULO|CAP[IÍí]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
SIGNATURE = re.compile(r"Dado (?:en|el) |por tanto,$|[A-Z][a-zñá ]+, ?\d{1,2} de \w+ de \d{4}\b", re.IGNORECASE)
NOTE = re.compile(
    r"> ?(?:<small>|Téngase en cuenta|Redacción (?:anterior|vigente)|Véase|\(\*\) Téngase)|\(\*\) Téngase"
)
ROMAN = re.compile(r"##### [IVX]+\. ")
CAPTION = re.compile(r"[A-H]\) ")
RULE = re.compile(r"\|[\s:|-]*")
EARLIER = re.compile(r'> Redacción (?:anterior|vigente)|^> Téngase.*redacción anterior\b.*:$|^###### "')
REPEALED = re.compile(r"### \(Derogado\)")
MARK = re.compile(r"[#* ]*\((?:Derogad|Suprimid)[oa]s?\)\.?[* ]*")
ABBREVIATION = re.compile(r"\b(?:arts?|núms?|págs?|Sra?|Dra?|ss|Ref|aptdo|aptdos)\.$")
IMAGE = "[Imagen o fórmula: véase el texto en el BOE]"

# Headings that look like provisions and are none: Ley 3/2023 quotes three articles of another law without the mark of
# a quotation before their headings.
QUOTED = {"BOE-A-2023-5365": 3}
# "ANEXO" before the first article is the frame of the text that a decree approves.
FRAMES = {"BOE-A-1994-14960": 1, "BOE-A-1995-7730": 1}
# Chapters with nothing below them.
EMPTY = {
    "BOE-A-1994-14960": (
        "### CAPÍTULO IV QUATER.",
        "Subsección 1.ª Asignación económica",
        "Subsección 5.ª Disposiciones",
    )
}
# Lines of no class that the scanner knows: the title of such a frame.
EXPLAINED = {"BOE-A-1995-7730": {"Texto refundido de la Ley del Estatuto de los Trabajadores"}}


def files(real_laws):
    return [*sorted(real_laws.glob("*.md")), *sorted((real_laws.parent / "laws_history").glob("*.md"))]


@pytest.fixture(scope="module")
def readings(real_laws):
    """Each file's lines without its front matter, and its law."""
    read = []
    for path in files(real_laws):
        lines = path.read_text(encoding="utf-8").split("\n---", 1)[1].splitlines()
        lines = [" ".join(line.replace("\u00ad", "").split()) for line in lines]
        read.append((path.stem, [line for line in lines if line], read_law(path)))
    return read


def squeezed(text):
    """Drop blanks and the marks of Markdown, HTML and tables."""
    text = re.sub(r"\[([^\]]*)\]\(https?://[^)]*\)", r"\1", re.sub(r"</?\w+>", "", text))
    return re.sub(r"[\s*|]", "", text)


def count_provisions(lines):
    headings = sum(bool(PROVISION.match(line)) for line in lines)
    first = next(index for index, line in enumerate(lines) if PROVISION.match(line))
    return headings + sum(bool(ANNEX.match(line)) for line in lines[first:])


def test_every_provision_of_every_file_is_there(readings):
    assert sum("@" not in name for name, _, _ in readings) == LAWS
    for name, lines, law in readings:
        apart = QUOTED.get(name, 0) + FRAMES.get(name, 0)
        assert len(law.provisions) == count_provisions(lines) - apart, name


@dataclass
class Scan:
    """Follow the text of the provisions through the lines of a file."""

    wanted: str
    at: int = 0
    lost: list = field(default_factory=list)
    signatures: list = field(default_factory=list)
    above: list = field(default_factory=list)

    def take(self, line):
        text = squeezed(line.lstrip("#> "))
        if text and self.wanted.startswith(text, self.at):
            self.at += len(text)
            return True
        return False


def follow(lines, law):
    wanted = ""
    for one in law.provisions:
        wanted += (squeezed(one.title) if one.key.startswith("anexo") else "") + squeezed(one.text)
    scan = Scan(wanted)
    first = next(index for index, line in enumerate(lines) if PROVISION.match(line))
    signed = superseded = untitled = False
    for line, following in zip(lines[first:], [*lines[first + 1 :], ""], strict=True):
        if superseded and line.startswith((">", "|", "![", '###### "')):
            # An earlier wording that the editors quote, down to its closing quotation mark.
            superseded = not line.endswith('"') and not line.startswith("> <small>")
            continue
        superseded = EARLIER.search(line) is not None
        image = line.startswith("![")
        if PROVISION.match(line) or ANNEX.match(line):
            scan.take(line)  # a quoted heading
            signed = untitled = False
        elif not (REPEALED.fullmatch(line) or SIGNATURE.match(line)) and scan.take(IMAGE if image else line):
            signed = untitled = False
        elif STRUCTURE.match(line) or ROMAN.match(line) or (CAPTION.match(line) and PROVISION.match(following)):
            scan.above.append(line)
            untitled = True
        elif untitled and not (NOTE.match(line) or MARK.fullmatch(line)):
            scan.above.append(line)
            untitled = False
        elif SIGNATURE.match(line) or signed:
            scan.signatures.append(line)
            signed = True
        elif not (NOTE.match(line) or superseded or RULE.fullmatch(line) or MARK.fullmatch(line)):
            scan.lost.append(line)
    return scan


def test_every_line_of_every_file_is_in_its_provision_in_order(readings):
    for name, lines, law in readings:
        scan = follow(lines, law)
        assert scan.at == len(scan.wanted), (name, scan.wanted[scan.at : scan.at + 200])
        assert not set(scan.lost) - EXPLAINED.get(name, set()), name
        # No provision hides among the signatures.
        assert len(scan.signatures) <= 10, name
        assert all(len(line) < 180 or line.startswith("> <small>") for line in scan.signatures), name


def test_every_chapter_is_above_a_provision(readings):
    for name, lines, law in readings:
        breadcrumbs = squeezed(" ".join({one.breadcrumb: None for one in law.provisions}))
        for line in follow(lines, law).above:
            assert squeezed(line.lstrip("# ")).rstrip(".") in breadcrumbs or line.startswith(EMPTY.get(name, ())), name


def wordings_of(chunks):
    return groupby(chunks, key=lambda chunk: (chunk["provision_key"], chunk["valid_from"]))


def test_every_character_of_a_provision_is_in_one_parent_in_order(readings):
    for name, _, law in readings:
        chunks = law_chunks(law)
        assert len({chunk["id"] for chunk in chunks}) == len(chunks), name
        parts = [list(group) for _, group in wordings_of(chunks)]
        for provision, group in zip(law.provisions, parts, strict=True):
            assert [chunk["part"] for chunk in group] == list(range(1, len(group) + 1))
            assert {chunk["parts"] for chunk in group} == {len(group)}
            whole = re.sub(r"\s", "", provision.text)
            assert whole == re.sub(r"\s", "", Wording(tuple(group)).text), (name, provision.key)


def test_parents_fit_and_are_cut_between_sentences(readings):
    for name, _, law in readings:
        for provision, (_, group) in zip(law.provisions, wordings_of(law_chunks(law)), strict=True):
            at = 0
            for chunk in group:
                assert len(chunk["text"]) <= LIMIT, (name, provision.key)
                text = without_head(chunk["text"], provision.text[:at])
                at = provision.text.index(text, at) + len(text)
                rest = provision.text[at:]
                if rest and not rest.startswith("\n"):
                    assert text[-1] in ".;:»)", (name, provision.key, text[-60:])
                    assert not ABBREVIATION.search(text), (name, provision.key, text[-60:])


NORMS = {
    "paragraphs": """
PREÁMBULO
Hace falta una norma.
CAPÍTULO PRIMERO
Disposiciones generales
Artículo 1.º Objeto.
Regula los talleres:
a) Los propios.
ARTÍCULO SEGUNDO. Abren a las nueve. Cierran a las dos.
| Día | Hora |
|---|---|
| Lunes | 9 |
DISPOSICIONES ADICIONALES
Primera. Plazo.
Es de un mes.
Sevilla, 3 de mayo de 2001.–La Presidenta, Juana Ejemplo.
ANEXO I
Tasas
Son cinco euros.
""",
    "units": """
Vista la propuesta, resuelvo:
##### Primero. Objeto.
Se aprueba el plan.
##### Segundo.
Rige mañana.
Madrid, 3 de mayo de 2001.
ANEXO
### Plan
### CAPÍTULO I
Se hará.
""",
    "running text": """
Consultas de varias oficinas aconsejan aclarar el plazo.
### Plazo
Es de un mes.
> Se cuenta desde el día siguiente.
ANEXO
Un modelo.
""",
    "amends another": """
Artículo único. Modificación.
Se modifica así:
«Artículo 5. Horario.
Artículo 6. Cierre.
A las dos.»
Disposición final única. Entrada en vigor.
Mañana.
""",
    "signed before its articles": """
### JUAN CARLOS I
Por cuanto se firmó el convenio, lo ratifico.
Dado en Madrid a 3 de mayo de 2001.
### CONVENIO SOBRE TALLERES
Las partes acuerdan:
##### Artículo I
Se abrirán talleres.
##### Artículo II
Y ferias.
""",
}


@pytest.mark.parametrize("form", NORMS)
def test_every_line_of_a_norm_of_any_form_is_in_its_chunks_in_order(form, tmp_path):
    path = tmp_path / "norma.md"
    front = 'title: "Norma"\nidentifier: "BOE-A-2000-1"\nrank: "orden"\npublication_date: "2000-01-02"\n'
    path.write_text(f"---\n{front}---\n# Norma\n{NORMS[form]}", encoding="utf-8")
    law = read_law(path)
    followed = follow_norm(body_lines(path), law)
    assert (followed.lost, followed.in_order) == ([], True)
    kept = squeezed("".join(chunk["text"] for chunk in law_chunks(law)))
    # What the scanner takes for a preamble may stay out only above articles.
    first = NORMS[form].strip().splitlines()[0]
    assert (squeezed(first) in kept) is (form in ("units", "running text"))
