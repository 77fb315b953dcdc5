"""Compose the ten agreements from their facts, the same in every run."""

import random
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.agreements.model import Agreement, Block, Paragraph, Question, Table

_HERE = Path(__file__).parent
_SEED = 20_240_301

_ORDINALS = ("I", "II", "III", "IV")
_UNITS = {"hora": "por hora", "kilometraje": "por kilómetro", "dieta": "por día", "guardia": "por guardia"}
_CHOICES = {
    "unions": ("Comarca Obrera y Sindicato del Valle", "Unión de Oficios y Acción Laboral", "Frente Sindical Local"),
    "notice": ("un mes", "dos meses", "tres meses"),
    "ultraactivity": ("un año", "dieciocho meses", "dos años"),
    "committee": ("seis", "ocho", "diez"),
    "trial_technical": ("seis meses", "cuatro meses", "tres meses"),
    "trial_others": ("un mes", "dos meses", "quince días"),
    "temporary": ("nueve meses", "un año", "diez meses"),
    "quit_notice": ("quince días", "un mes", "veinte días"),
    "rest": ("quince minutos", "veinte minutos", "treinta minutos"),
    "irregular": ("diez", "doce", "quince"),
    "marriage": ("quince días naturales", "dieciocho días naturales", "dieciséis días naturales"),
    "moving": ("un día", "dos días"),
    "own_days": ("dos días", "tres días", "cuatro días"),
    "rise": ("2,5", "3", "3,2"),
    "bonuses": ("dos", "tres"),
    "seniority": ("tres años", "cuatro años", "cinco años"),
    "sick_share": ("75", "80", "90"),
    "sick_day": ("cuarto", "décimo", "dieciséis"),
}
"""What the texts of the articles leave open, and what an agreement chooses from."""


def agreements() -> list[Agreement]:
    """Return the agreements in the order of their file."""
    entries = tomllib.loads((_HERE / "sectors.toml").read_text(encoding="utf-8"))["agreement"]
    return [_Composer(entry).agreement() for entry in entries]


class _Composer:
    def __init__(self, entry: dict[str, Any]) -> None:
        self._entry = entry
        self._random = random.Random(f"{_SEED}/{entry['name']}")
        self._used: set[str] = set()
        named = {name: value for name, value in entry.items() if isinstance(value, str)}
        self._facts = named | {name: self._random.choice(values) for name, values in _CHOICES.items()}

    def agreement(self) -> Agreement:
        entry = self._entry
        salaries = [self._salaries(year) for year in entry["years"]]
        extras = self._extras()
        front = [Paragraph("head", text) for text in entry["head"]] + [
            Paragraph("title", text) for text in entry["title"]
        ]
        return Agreement(
            name=entry["name"],
            gazette=entry["gazette"],
            title=tuple(entry["title"]),
            blocks=(*front, *self._articles(), *self._annexes(salaries, extras)),
            questions=tuple(self._questions(salaries, extras)),
            held_out=entry.get("held_out", False),
            facts=self._facts,
        )

    def _articles(self) -> Iterator[Block]:
        articles = tomllib.loads((_HERE / "articles.toml").read_text(encoding="utf-8"))["article"]
        chapters = 0
        for number, article in enumerate(articles, 1):
            if chapter := article.get("chapter"):
                chapters += 1
                yield Paragraph("chapter", f"CAPÍTULO {('I', 'II', 'III', 'IV', 'V', 'VI')[chapters - 1]}. {chapter}")
            yield Paragraph("article", f"Artículo {number}. {article['title']}.")
            text = self._random.choice(article["texts"]).format_map(self._facts)
            yield from (Paragraph("text", line) for line in text.split("\n"))

    def _annexes(self, salaries: Sequence[Table], extras: Table) -> Iterator[Block]:
        for number, table in zip(_ORDINALS, salaries, strict=False):
            yield Paragraph("annex", f"ANEXO {number}. {table.caption}")
            yield Paragraph(
                "text", "Importes en euros por jornada completa, sin perjuicio de las mejoras que se pacten."
            )
            yield table
        yield Paragraph("annex", f"ANEXO {_ORDINALS[len(salaries)]}. {extras.caption}")
        yield extras
        yield Paragraph("text", "Las partes firman el presente texto en prueba de conformidad.")

    def _salaries(self, year: int) -> Table:
        entry = self._entry
        columns = tuple(tuple(path) for path in entry["columns"])
        rows = [(name, *self._row(index, columns)) for index, name in enumerate(entry["rows"])]
        return Table(
            caption=f"Tabla salarial del año {year}",
            columns=columns,
            rows=tuple(self._grouped(rows)),
            layout=entry["layout"],
            beside=_BESIDE if entry["layout"] == "beside" else "",
        )

    def _row(self, index: int, columns: Sequence[Sequence[str]]) -> list[str]:
        """Return plausible amounts: what is paid by the year is more than by the month, and the first rows more."""
        monthly = 2_300 - 90 * min(index, 12)
        return [self._amount(_scale(" ".join(path).lower(), monthly)) for path in columns[1:]]

    def _amount(self, about: float) -> str:
        """Return an amount near another one, written as in Spain, that no other cell of the agreement has."""
        while True:
            figure = about * self._random.uniform(0.96, 1.04)
            text = f"{figure:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")
            text += " €" if self._entry["layout"] == "euro" else ""
            if text not in self._used:
                self._used.add(text)
                return text

    def _grouped(self, rows: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        groups = self._entry.get("groups", [])
        size = len(rows) // len(groups) if groups else len(rows)
        for index, row in enumerate(rows):
            if groups and index % size == 0:
                yield (groups[index // size],)
            yield row

    def _extras(self) -> Table:
        rows = []
        for name in self._entry["extras"]:
            unit = next((text for word, text in _UNITS.items() if word in name.lower()), "por mes")
            unit = "por hora" if "nocturnidad" in name else unit
            rows.append((name, self._amount({"por kilómetro": 0.4, "por hora": 3.1}.get(unit, 48)), unit))
        plain = self._entry["layout"] not in ("ruled", "euro", "spanning")
        return Table(
            caption="Complementos y otras percepciones",
            columns=(("Concepto",), ("Importe",), ("Unidad",)),
            rows=tuple(rows),
            layout=("two_tables" if self._entry["layout"] == "two_tables" else "aligned") if plain else "ruled",
        )

    def _questions(self, salaries: Sequence[Table], extras: Table) -> Iterator[Question]:
        table, year = salaries[-1], self._entry["years"][-1]
        named = [row for row in table.rows if len(row) > 1]
        first, second, third, fourth = (named[index] for index in (2, len(named) // 2, -2, 1))
        in_year = f" en {year}" if len(salaries) > 1 else ""
        last = table.columns[-1]
        yield Question(f"¿Cuánto cobra un {_small(first[0])}{in_year}?", first[0], table.columns[1], first[1])
        yield Question(f"¿Cuál es el salario de {_small(second[0])}{in_year}?", second[0], table.columns[1], second[1])
        yield Question(
            f"¿Cuál es el importe de {_spoken(last)} de {_small(third[0])}{in_year}?",
            third[0],
            last,
            third[len(table.columns) - 1],
        )
        middle = table.columns[2]
        yield Question(f"{_spoken(middle)} {_small(fourth[0])}{in_year}", fourth[0], middle, fourth[2])
        for row in (extras.rows[0], extras.rows[-1]):
            yield Question(f"¿Cuánto se paga por {_small(row[0])}?", row[0], extras.columns[1], row[1])


_BESIDE = (
    "Los jornales de la tabla se entienden por ocho horas de trabajo efectivo e incluyen la parte proporcional de "
    "domingos, festivos y gratificaciones. Cuando la faena se interrumpa por lluvia después de comenzada se abonará la "
    "mitad del jornal."
)


def _scale(column: str, monthly: float) -> float:
    """Return about how much a column pays, by its name."""
    if "jornal" in column:
        return monthly / 30
    if "hora" in column:
        return monthly / 120
    if "anual" in column or "año" in column:
        return monthly * 14 if "plus" not in column else 900
    if any(word in column for word in ("plus", "complemento", "residencia")):
        return monthly / 18
    return monthly * 0.9 if "paga" in column else monthly


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]


def _spoken(path: Sequence[str]) -> str:
    """Return how a question names a column: all that stands above it."""
    return " ".join(path).lower()
