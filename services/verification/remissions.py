"""Follow what cited texts refer to: which of it the model read as well, and which it did not."""

from collections.abc import Mapping, Sequence

from articulado.legal.labels import provision_name
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Candidate, ProvisionRef, provision_of
from articulado.values.findings import Remission
from services.verification.sources import provisions_in


def remissions_of(cited: Mapping[int, Candidate], context: Sequence[Candidate]) -> list[Remission]:
    """Return the provisions that cited fragments (by the number of their markers) refer to, each once, in order.

    References of a provision to itself, and to laws that are not known, are left out.
    """
    read = {provision_of(candidate["chunk"]) for candidate in context}
    own = {provision_of(candidate["chunk"]) for candidate in cited.values()}
    found: dict[ProvisionRef, Remission] = {}
    for number, candidate in cited.items():
        chunk = candidate["chunk"]
        for ref in _known(chunk["text"], chunk["law_id"]):
            if ref in found or ref in own:
                continue
            law = known_laws().get(ref[0])
            found[ref] = {
                "mark": f"C{number}",
                "law_id": ref[0],
                "law": law.short if law else chunk["law_name"],
                "provision_key": ref[1],
                "provision": provision_name(ref[1]),
                "consulted": ref in read,
            }
    return list(found.values())


def _known(text: str, law_id: str) -> list[ProvisionRef]:
    """Return the provisions that a text of a law refers to, of that law and of those that are known."""
    return [ref for ref in provisions_in(text, law_id) if ref[0] in known_laws() or ref[0] == law_id]
