"""What would have to be read for an answer to stand: the needs that its check finds, where the model named none."""

from collections.abc import Sequence

from articulado.language.languages import Language
from articulado.values.answers import Need
from articulado.values.findings import Finding, NamedVerdict

MAX_NEEDS = 2
"""As many as a model may name."""
MAX_WORDS = 8
_CHARACTERS_AROUND = 160


def needs_of(
    findings: Sequence[Finding], provisions: Sequence[NamedVerdict], text: str, language: Language
) -> list[Need]:
    """Return what is to be looked up for claims that do not stand: provisions that were not read, else their words.

    Only what is certain calls for it; a provision that does not exist is not looked for.
    """
    needs: list[Need] = []
    unread = {verdict["start"]: verdict for verdict in provisions if verdict["status"] == "in_index_not_in_context"}
    for finding in findings:
        if finding["severity"] != "error" or finding["check"] == "mark":
            continue
        verdict = unread.get(finding["start"])
        if verdict:
            needs.append(
                {
                    "kind": "article",
                    "article": verdict["provision"],
                    "law": verdict["law"],
                    "keywords": "",
                    "by_check": True,
                }
            )
        elif words := _words(text, finding, language):
            needs.append({"kind": "keywords", "article": "", "law": "", "keywords": words, "by_check": True})
    return list({str(need): need for need in needs}.values())[:MAX_NEEDS]


def _words(text: str, finding: Finding, language: Language) -> str:
    """Return the content words of the claim around a finding, without what was found wrong in it."""
    begin = max(text.rfind(stop, 0, finding["start"]) for stop in (". ", "\n")) + 1
    begin = max(begin, finding["start"] - _CHARACTERS_AROUND)
    end = min((place for stop in (". ", "\n") if (place := text.find(stop, finding["end"])) >= 0), default=len(text))
    around = f"{text[begin : finding['start']]} {text[finding['end'] : min(end, finding['end'] + _CHARACTERS_AROUND)]}"
    words = (word for word in language.content_words(around) if not any(character.isdigit() for character in word))
    return " ".join(list(dict.fromkeys(words))[:MAX_WORDS])
