"""Where the index lacks the wording of a day, the next one stands in, and its note says so."""

from datetime import date

import pytest
from support.doubles import FakeStore, make_chunk

from articulado.retrieval.fusion import candidate
from articulado.retrieval.search import later_wordings

DAY = date(2022, 3, 3)
ET, SMI, LIMV = "BOE-A-2015-11430", "BOE-A-2026-3815", "BOE-A-2021-21007"
ADDED = "Se añade por el art. 1.7 del Real Decreto-ley 32/2021, de 28 de diciembre. Ref. BOE-A-2021-21788"
AMENDED = "Se añade el apartado 4 por el art. 2 de la Ley 4/2023, de 28 de febrero. Ref. BOE-A-2023-5366"


@pytest.mark.parametrize(
    ("fields", "stands_in"),
    [
        ({"law_id": ET, "valid_from": "2023-03-02"}, True),
        ({"law_id": ET, "valid_from": "2023-03-02", "notes": [AMENDED]}, True),
        ({"law_id": ET, "valid_from": "2023-03-02", "notes": [ADDED]}, False),
        ({"law_id": ET, "valid_from": "2022-03-03"}, False),
        ({"law_id": ET, "valid_from": None}, False),
        ({"law_id": LIMV, "valid_from": "2023-01-01"}, True),
        ({"law_id": SMI, "valid_from": "2026-02-19"}, False),
        ({"law_id": "convenio", "valid_from": "2023-01-01"}, False),
    ],
)
async def test_later_wordings_replace_missing_ones_of_older_laws(fields, stands_in):
    chunk = make_chunk(7, "Artículo 7", status_note="Se modifica.", **fields)
    stand_ins = await later_wordings([candidate(chunk, 0.5, "hybrid")], DAY, FakeStore([chunk]))
    begins = date.fromisoformat(chunk["valid_from"] or "2000-01-01")
    note = f"Esta redacción rige desde el {begins:%d/%m/%Y} y no es la del 03/03/2022, por la que se pregunta."
    assert [(wording["chunk"]["id"], wording["score"], wording["chunk"]["status_note"]) for wording in stand_ins] == (
        [(7, 0.5, f"{note} Se modifica.")] if stands_in else []
    )


async def test_available_wordings_are_not_replaced():
    now = make_chunk(2, "Artículo 7", law_id=ET, valid_from="2023-03-02")
    then = make_chunk(1, "Artículo 7", law_id=ET, valid_from="2015-10-24", valid_to="2023-03-02")
    before = make_chunk(3, "Artículo 7", law_id=ET, valid_from="2015-10-24", valid_to="2020-01-01")
    candidates = [candidate(now, 0.5, "hybrid")]
    assert await later_wordings(candidates, DAY, FakeStore([now, then])) == []
    assert len(await later_wordings(candidates, DAY, FakeStore([now, before]))) == 1
