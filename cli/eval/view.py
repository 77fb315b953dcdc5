"""Report of ``articulado eval``: blocks for a terminal and for Markdown, from its JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from articulado.language.formats import NONE, figure, format_share
from articulado.language.translation import reason as reason_of
from articulado.legal.laws.registry import known_laws
from articulado.values.errors import InvalidInput
from cli.eval.blocks import Blocks, Line, Table, as_markdown
from cli.render import number, signed
from evaluation.gold.questions import parse_provision
from evaluation.measure import Measurement
from evaluation.retrieval.evaluate import FIRST, FOUND_WITHIN
from evaluation.retrieval.run import MAIN

JSON, MARKDOWN = "report.json", "report.md"
MAX_FAILED, MAX_MISSING, MAX_STALE = 5, 10, 10
MAX_WORST, MAX_WORST_IN_REPORT = 5, 15


def write_report(folder: Path, measurement: Measurement) -> list[Path]:
    """Write ``report.json``, the same as ``--json``, and ``report.md`` into a folder, and return both files."""
    texts = {
        JSON: json.dumps(measurement.report, ensure_ascii=False, indent=2) + "\n",
        MARKDOWN: as_markdown(measurement_blocks(measurement, whole=True)),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"No se puede escribir el informe en {folder}: {reason_of(error)}. Indique otra carpeta."
        ) from error
    return [folder / name for name in texts]


LEGEND = (
    "hit@k: un precepto que responde (grado 2) entre los k primeros; success@k: uno que al menos ayuda (grado 1). "
    "P@3/min(3,R): P@3 sobre lo más que la pregunta permite."
)


def measurement_blocks(measurement: Measurement, *, whole: bool) -> Blocks:
    """Yield each gold set: metrics, categories, abstention, latency, comparison, failures; ``whole`` with all rows."""
    report = measurement.report
    for gold_set in report["sets"]:
        yield from _set(gold_set, str(report["compared_with"]), whole)
    for conversations in report["conversations"]:
        yield from _conversations(conversations, whole)
    if report["sets"]:
        yield Line(f"\n{LEGEND}", style="dim")
    if report["recording"]:
        yield from _recording(report["recording"], measurement.waiting)


def _set(gold_set: Mapping[str, Any], other: str, whole: bool) -> Blocks:
    count, negatives = gold_set["questions"], gold_set["negatives"]
    positives = count - negatives
    yield Line(f"{gold_set['name']}: {count} pregunta{'' if count == 1 else 's'}", "# ")
    yield from _unusual(gold_set)
    if positives:
        rows = [
            (name, number(values["mean"]), f"{number(values['low'])} – {number(values['high'])}")
            for name, values in gold_set["metrics"].items()
        ]
        yield Table(("Métrica", "Media", "Intervalo 95 %"), rows)
    if gold_set["by_category"]:
        names = ("nDCG@5", MAIN, "R@20", "hit@3", "success@3")
        yield Table(
            ("Categoría", "n", *names),
            [
                (name, str(group["questions"]), *_means(group["metrics"], names))
                for name, group in gold_set["by_category"].items()
            ],
        )
    if gold_set["compared"]:
        yield from _compared(gold_set["compared"], other)
    if positives and "configurations" in gold_set:
        yield from _configurations(gold_set["configurations"])
    if "answers" in gold_set:
        yield from _answers(gold_set["answers"], positives, negatives, whole)
    if positives and "peers" in gold_set:
        yield from _peers(gold_set)
    refused, declined = len(gold_set["wrongly_refused"]), len(gold_set["negatives_declined"])
    yield Line(
        f"\nAbstención: {refused} de {positives} con respuesta, rechazadas sin razón; {declined} de {negatives} sin "
        "respuesta, bien declinadas."
    )
    times = gold_set["latency_ms"]
    yield Line(f"Recuperación por pregunta: p50 {figure(times['p50'])} ms, p95 {figure(times['p95'])} ms.")
    kinds = [question["failure"] for question in gold_set["per_question"]]
    line = f"Fallos: {kinds.count('retrieval')} de recuperación, {kinds.count('ranking')} de ordenación"
    yield Line(f"{line}, {kinds.count('answer')} de respuesta." if "answers" in gold_set else f"{line}.")
    yield from _worst(gold_set["per_question"], MAX_WORST_IN_REPORT if whole else MAX_WORST)
    yield from _environment(gold_set, whole)


def _means(metrics: Mapping[str, Any], names: Iterable[str] = (MAIN, "R@20", "hit@3")) -> Iterator[str]:
    return (number(metrics[name]["mean"]) for name in names)


def _unusual(gold_set: Mapping[str, Any]) -> Blocks:
    if missing := gold_set["not_held"]:
        yield Line(
            f"Aviso: el índice no tiene {len(missing)} de los preceptos esperados: {_some(missing, MAX_MISSING)}. ¿Es "
            "el índice para el que se escribió el fichero?",
            style="yellow",
        )
    if ignored := gold_set["ignored_keys"]:
        yield Line(f"Aviso: no se usan estos campos del fichero: {', '.join(ignored)}.", style="yellow")


def _some(names: Sequence[str], limit: int) -> str:
    return ", ".join(names[:limit]) + (f" y {len(names) - limit} más" if len(names) > limit else "")


def _environment(gold_set: Mapping[str, Any], whole: bool) -> Blocks:
    if whole and gold_set["environment"]:
        yield Line("Máquina y versiones", "## ")
        yield Table(("", ""), [*gold_set["environment"].items()])


def _compared(compared: Mapping[str, Any], other: str) -> Blocks:
    yield Line(f"\nFrente a {other} (+/=/−: preguntas mejores, iguales y peores aquí)")
    rows = [
        (
            name,
            number(paired["second"]),
            number(paired["first"]),
            signed(paired["difference"]),
            f"{signed(paired['low'])} – {signed(paired['high'])}",
            number(paired["p"]),
            f"{paired['wins']}/{paired['ties']}/{paired['losses']}",
        )
        for name, paired in compared.items()
    ]
    yield Table(("Métrica", "Aquí", "Otro", "Dif.", "Intervalo 95 %", "p", "+/=/−"), rows)


def _difference(step: Mapping[str, Any]) -> tuple[str, str]:
    paired = step["difference"]
    return (signed(paired["difference"]), number(paired["p"])) if paired else ("", "")


def _configurations(steps: Sequence[Mapping[str, Any]]) -> Blocks:
    yield Line(f"Técnicas, cada una frente a la línea anterior en {MAIN}", "## ")
    rows = []
    for step in steps:
        main, recall, hit = _means(step["metrics"])
        bounds = step["metrics"][MAIN]
        between = f"{number(bounds['low'])} – {number(bounds['high'])}"
        rows.append((step["name"], main, between, *_difference(step), recall, hit))
    yield Table(("Configuración", MAIN, "Intervalo 95 %", "Dif.", "p", "R@20", "hit@3"), rows)


def _peers(gold_set: Mapping[str, Any]) -> Blocks:
    peers = gold_set["peers"]
    yield Line(f"Otros buscadores sobre los mismos {figure(peers['provisions'])} preceptos", "## ")
    rows = [("articulado", *_means(gold_set["metrics"]), "", "", figure(gold_set["latency_ms"]["p50"], 1))]
    rows += [
        (run["name"], *_means(run["metrics"]), *_difference(run), figure(run["question_ms"], 1))
        for run in peers["runs"]
    ]
    yield Table(("", MAIN, "R@20", "hit@3", "Ventaja", "p", "ms"), rows)
    for reason in peers["missing"].values():
        yield Line(reason, style="yellow")


ANSWERABLE = (
    ("Contestadas", "outcomes", "answer"),
    ("Con los preceptos más próximos y un aviso", "outcomes", "near"),
    ("  con uno que responde, de estas", "near_right"),
    ("Se repregunta", "outcomes", "ask"),
    ("Declinadas sin razón", "outcomes", "decline"),
    ("  sin llamar al modelo, de estas", "declined_by", "gate"),
    ("  por el modelo, de estas", "declined_by", "principal"),
    ("Se cita primero un precepto que responde", "right_first"),
    ("  entre los dos primeros", "right_in_first_two"),
    ("Hechos esperados que las respuestas contienen", "facts"),
)
TRAITS = {
    "no_delimiter": "Sin el separador",
    "no_used": "Sin la línea USED",
    "no_drop": "Sin la línea DROP",
    "unknown_marks": "Con marcas de fragmentos que no hay",
    "protocol_words": "Con palabras de la autoevaluación a la vista",
    "fragment_words": "Con la palabra «fragmento» a la vista",
    "needs": "Pide algo con NEED",
    "second_answer": "Responde otra vez, con lo que pedía",
    "asked_again": "Se le pide lo mismo otra vez",
}
RISK = (
    "Si solo se contestaran las preguntas con una relevancia mínima, la cobertura sería la parte de todas ellas que se "
    "contesta, y el riesgo, la parte de estas que no tiene respuesta en la norma o en la que no se cita ningún "
    "precepto que responde. Bajo la curva, cuanta menos área, mejor; las preguntas sin relevancia no se cubren nunca."
)


def _share(values: Mapping[str, Any], *path: str) -> str:
    for name in path:
        values = values[name]
    return format_share(values["count"], values["of"])


def _answers(answers: Mapping[str, Any], positives: int, negatives: int, whole: bool) -> Blocks:
    yield Line("Respuestas", "## ")
    answerable, unanswerable = answers["answerable"], answers["unanswerable"]
    if positives:
        rows = [(name, _share(answerable, *path)) for name, *path in ANSWERABLE]
        rows.append(("Palabras: mediana, percentil 90, máximo (respuestas)", _lengths(answerable["words"])))
        yield Table(("Preguntas con respuesta en la norma", "De todas"), rows)
    if negatives:
        groups = {"todas": unanswerable, **unanswerable["by_category"]}
        order = ("decline", "ask", "near", "answer")
        yield Table(
            ("Sin respuesta", "Declinadas", "Repregunta", "Con aviso", "Contestadas"),
            [(name, *(_share(group, "outcomes", outcome) for outcome in order)) for name, group in groups.items()],
        )
        gate, principal = (_share(unanswerable, "declined_by", name) for name in ("gate", "principal"))
        yield Line(f"De las declinadas, sin llamar al modelo {gate}; por el modelo {principal}.")
    if metrics := answers["metrics"]:
        means = [(name, number(of["mean"]), str(of["questions"])) for name, of in metrics.items()]
        yield Table(("Medida", "Media", "n"), means)
    yield from _form(answers)
    if answers["relevance"]:
        yield from _relevance(answers["relevance"], whole)


def _lengths(words: Mapping[str, Any] | None) -> str:
    return (
        f"{figure(words['median'])}, {figure(words['p90'])}, {words['maximum']} ({words['answers']})" if words else NONE
    )


def _form(report: Mapping[str, Any]) -> Blocks:
    if form := report["form"]:
        rows = [(TRAITS[trait], _share(counted)) for trait, counted in form.items()]
        yield Table(("Lo que escribe el modelo", "De todo"), rows)


def _relevance(relevance: Mapping[str, Any], whole: bool) -> Blocks:
    risk, every = relevance["risk_coverage"], relevance["calibration"]
    yield Line(
        f"\nRelevancia de {every['answerable']['of']} preguntas, de {risk['total']}: área de riesgo y cobertura "
        f"{number(risk['area'])}, ECE {number(every['ece'])}, Brier {number(every['brier'])}."
    )
    if not whole:
        return
    yield Line(RISK)
    rows = [
        (
            format_share(point["questions"], risk["total"]),
            number(point["threshold"]),
            format_share(point["wrong"], point["questions"]),
        )
        for point in _tenths(risk["points"])
    ]
    yield Table(("Cobertura", "Relevancia mínima", "Riesgo"), rows)


def _tenths(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the first point that reaches each tenth of the questions, each point once, and the last one."""
    shown = {
        next((at for at, point in enumerate(points) if 10 * point["coverage"] > tenth - 1e-4), len(points) - 1)
        for tenth in range(1, 11)
    }
    return [points[at] for at in sorted(shown)]


FAILURES = {
    "": "Lo que responde está entre los tres primeros, pero falta otro precepto o va detrás.",
    "retrieval": f"Fallo de recuperación: nada de lo que responde está entre los {FOUND_WITHIN} primeros.",
    "ranking": f"Fallo de ordenación: está entre los {FOUND_WITHIN} primeros, no entre los {FIRST} primeros.",
}


def _worst(questions: Sequence[Mapping[str, Any]], limit: int) -> Blocks:
    imperfect = [each for each in questions if each["metrics"] and each["metrics"][MAIN] < 1]
    laws = {row["provision"].partition("#")[0]: row["law"] for each in questions for row in each["ranking"]}
    if imperfect:
        yield Line(f"Peores preguntas por {MAIN}", "## ")
    for question in sorted(imperfect, key=lambda each: float(each["metrics"][MAIN]))[:limit]:
        rank = question["rank"] or FOUND_WITHIN + 1
        kind = "retrieval" if rank > FOUND_WITHIN else "ranking" if rank > FIRST else ""
        yield Line(
            f"{question['id']} ({number(question['metrics'][MAIN])}): {question['question']}",
            "- ",
            "",
            (
                FAILURES[kind],
                f"Se esperaba: {_listed(question['relevant'], laws)}.",
                f"Se encontró: {_listed(question['instead'], laws)}.",
            ),
        )


def _listed(provisions: Iterable[str], laws: Mapping[str, str]) -> str:
    pairs = filter(None, map(parse_provision, provisions))
    return "; ".join(f"{_law(law_id, laws)}, {label}" for law_id, label in pairs) or "nada"


def _law(law_id: str, laws: Mapping[str, str]) -> str:
    law = known_laws().get(law_id)
    return law.abbreviation or law.short if law else laws.get(law_id, law_id)


TURNS_LEGEND = (
    "hit@3: un precepto que responde está entre los tres primeros que se citan; leído: está entre lo que leyó el "
    "modelo (los turnos que no preguntan nada no cuentan en ninguno de los dos). Conserva: preceptos de turnos "
    "anteriores que aún debía leer y lee. Sobra: preceptos que no debía leer y lee; citado: y además cita. Rechaza: "
    "no se contesta."
)


def _conversations(findings: Mapping[str, Any], whole: bool) -> Blocks:
    yield Line(f"{findings['name']}: {findings['conversations']} conversaciones, {findings['turns']} turnos", "# ")
    yield from _unusual(findings)
    groups = {"todos": findings["all"]}
    groups |= {f"turno {turn}": turns for turn, turns in findings["by_number"].items()}
    if findings["later"]["turns"]:
        groups["del 2 en adelante"] = findings["later"]
    rows = [_turns(name, turns) for name, turns in [*groups.items(), *findings["by_kind"].items()]]
    yield Table(("Turnos", "n", "hit@3", "leído", "conserva", "n", "sobra", "citado", "n", "rechaza"), rows)
    yield from _form(findings)
    # Turns that miss, lose a provision to keep or read one to leave.
    failed = [
        turn
        for turn in findings["per_turn"]
        if turn["hit@3"] is False or len(turn["kept"]) < len(turn["must_keep"]) or turn["intruding"]
    ]
    if failed:
        yield Line(f"Fallan {len(failed)} turnos{'' if whole else '; los primeros'}:", "## ")
    for turn in failed[: None if whole else MAX_FAILED]:
        yield Line(f"{turn['conversation']}, turno {turn['number']}: {turn['question']}", "- ", "", (_missed(turn),))
    yield Line(f"\n{TURNS_LEGEND}", style="dim")
    yield from _environment(findings, whole)


def _turns(name: str, turns: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("hit@3", "hit_in_context", "must_keep", "intrusion", "intrusion_cited", "refused")
    hit, read, kept, intrusion, cited, refused = (
        NONE if turns[each]["share"] is None else number(turns[each]["share"]) for each in names
    )
    to_keep, to_leave = (str(turns[each]["of"]) for each in ("must_keep", "intrusion"))
    return name, str(turns["turns"]), hit, read, kept, to_keep, intrusion, cited, to_leave, refused


def _missed(turn: Mapping[str, Any]) -> str:
    grades = turn["relevant"]
    best = [provision for provision, grade in grades.items() if grade == max(grades.values())]
    parts = [f"Se esperaba: {_listed(best, {})}. Se cita: {_listed(turn['cited'], {})}"]
    if lost := [provision for provision in turn["must_keep"] if provision not in turn["kept"]]:
        parts.append(f"Se pierde: {_listed(lost, {})}")
    if turn["intruding"]:
        parts.append(f"Sobra: {_listed(turn['intruding'], {})}")
    return ". ".join(parts) + "."


def _recording(recording: Mapping[str, Any], waiting: str) -> Blocks:
    described = ", ".join(filter(None, (recording["folder"], recording["day"], recording["note"])))
    yield Line(f"Grabación: {described} ({len(recording['asked'])} consultas)", "## ")
    for difference in recording["differences"]:
        yield Line(difference, style="yellow")
    if stale := recording["stale"]:
        yield Line(f"Respuestas que ninguna consulta ha pedido: {_some(stale, MAX_STALE)}.", style="yellow")
        yield Line("Son de otras preguntas, o han cambiado el índice, los textos o las opciones.")
    if waiting:
        yield Line(waiting, style="yellow")
        rows = [(each["id"], each["set"], each["role"], each["missing"]) for each in recording["unfinished"]]
        yield Table(("Sin terminar", "Fichero", "Falta", "Consulta"), rows)
