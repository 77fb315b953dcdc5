"""The user message of a chat model read back into fragments, by the labels that it is told of."""

import re

from articulado.prompting.fragments import (
    AS_OF,
    LAST_CONSULTATION,
    NOT_FOUND,
    OFFICIAL,
    PLAIN_LANGUAGE,
    PURPOSES,
    SEPARATOR,
    SUBJECT,
    TODAY,
    UNSUPPORTED,
    Fragment,
)

_TOLD = re.compile(
    rf"(?:\n\n{LAST_CONSULTATION}(?:\n{NOT_FOUND}: [^\n]*)?(?:\n{UNSUPPORTED}: [^\n]*)?)?"
    rf"(?:\n\n{TODAY}: [^\n]*(?:\n{AS_OF}: [^\n]*)?)?(?:\n\n{SUBJECT}: [^\n]*)?$"
)
_NUMBER = re.compile(r"^(?:(\[C(\d+)\])|Fragmento (\d+):) ?")


def read_prompt(message: str) -> tuple[list[Fragment], str]:
    """Return the fragments and the question of a message; one of another form is all question."""
    body, heading, question = message.partition("\n\nPREGUNTA:\n")
    if not heading or not body.startswith("FRAGMENTOS:\n\n"):
        return [], message
    return read_fragments(_TOLD.sub("", body.removeprefix("FRAGMENTOS:\n\n"))), question


def read_fragments(text: str) -> list[Fragment]:
    """Return the fragments of a text; a field that was left out is empty, or that of the one before."""
    fragments: list[Fragment] = []
    for block in text.strip().split(f"\n{SEPARATOR}\n"):
        if block.strip():
            fragments.append(_read(block.split("\n"), fragments[-1] if fragments else None))
    return fragments


def _read(lines: list[str], before: Fragment | None) -> Fragment:
    named = _NUMBER.match(lines[0])
    law, _, heading = _NUMBER.sub("", lines[0]).partition(" > ")
    provision, _, title = heading.partition(". ")
    rest = lines[1:]

    def take(label: str) -> str:
        return rest.pop(0).removeprefix(label) if rest and rest[0].startswith(label) else ""

    relevance = take("Relevancia: ")
    continued = take("Parte: ").endswith(", continuación")
    purpose, _, says = take("Para qué: ").partition(" («")
    known = next((each for each, words in PURPOSES.items() if words == purpose), None)
    validity, page, breadcrumb = take("Vigencia pactada: "), take("Página: "), take("Capítulo: ")
    summary = take("Resumen (en lenguaje claro, no oficial): ")
    note = take("[NOTA: ").removesuffix("]")
    url = rest.pop().removeprefix("Fuente: ") if rest and rest[-1].startswith("Fuente: ") else ""
    label = rest.pop(0) if rest else OFFICIAL
    if continued and before:
        breadcrumb, summary, note, url = before.breadcrumb, before.summary, before.note, before.url
        validity, page = before.validity, before.page
    return Fragment(
        marker=named[1] or "" if named else "",
        law_name=law,
        provision=provision,
        title=title,
        breadcrumb=breadcrumb,
        summary=summary,
        note=note,
        text="\n".join(rest),
        url=url,
        official=label != PLAIN_LANGUAGE,
        relevance=float(relevance) if relevance else None,
        purposes=((known, says.removesuffix("»)")),) if known else (),
        number=int(named[2] or named[3]) if named else 0,
        validity=validity,
        page=page,
    )
