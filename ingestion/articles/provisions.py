"""References of an article to provisions of the law, written as "BOE-A-2015-11430#Artículo 55"."""

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from legal.ids import is_boe_id
from legal.labels import provision_key, provision_url


def _names_one(written: str) -> str:
    law, _, label = written.partition("#")
    if not is_boe_id(law) or provision_key(label) is None:
        raise PydanticCustomError(
            "provision",
            "«{written}» no nombra un precepto. Escríbalo como «BOE-A-2015-11430#Artículo 55»",
            {"written": written},
        )
    return written


ProvisionRef = Annotated[str, AfterValidator(_names_one)]


def official_link(refs: list[str]) -> str:
    """Return the official address of the first provision; empty where there is none."""
    if not refs:
        return ""
    law, _, label = refs[0].partition("#")
    return provision_url(law, label)
