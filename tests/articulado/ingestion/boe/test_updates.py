"""What a check of many laws asks the BOE, and what is remembered of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from support.boe_server import running_boe
from support.fake_time import FakeTime

from articulado.ingestion.boe.client import BoeClient
from articulado.ingestion.boe.http import BACKOFF
from articulado.values.errors import InvalidInput, SourceUnavailable, UnreadableAnswer

LAWS = [f"BOE-A-2001-{number}" for number in range(9001, 9004)]
FIRST, SECOND, THIRD = LAWS
DAY = 86_400
START = 1_767_268_800.0  # 1 January 2026, noon UTC
DOWN = (503, {"Retry-After": "3600"})


class Gazette:
    """A server with three laws of the year before, and clients that share a folder, a new one for each run."""

    def __init__(self, server, folder):
        self.server, self.folder, self.time = server, folder, FakeTime(START)
        for law in LAWS:
            server.publish(law, "20250601T100000Z")

    @asynccontextmanager
    async def run(self) -> AsyncIterator[BoeClient]:
        self.server.asked.clear()
        backoff = replace(BACKOFF, clock=self.time.clock, sleep=self.time.sleep, jitter=lambda: 0.5)
        async with BoeClient(self.server.url, self.folder, pause=0.0, backoff=backoff) as client:
            yield client

    async def refresh(self, laws=LAWS) -> list[str]:
        """Bring laws up to date; return those that were downloaded, and for the others how it went."""
        outcome = []
        async with self.run() as client:
            due = await client.due(laws)
            for law_id, published in due.laws.items():
                try:
                    law = await client.law(law_id, published=published)
                except SourceUnavailable as error:
                    outcome.append(f"{law_id} {type(error).__name__}")
                else:
                    outcome += [law_id] * law.fetched
            assert sorted([*due.laws, *(law.id for law in due.current)]) == sorted(laws)
        return outcome

    @property
    def asked(self) -> list[str]:
        """The requests, that of the list with its first day."""
        return [request.path or f"list {request.query['from']}" for request in self.server.asked]


@pytest.fixture
def gazette(tmp_path):
    with running_boe(tmp_path / "served") as server:
        yield Gazette(server, tmp_path / "boe")


async def test_list_of_updates_replaces_a_request_per_law(gazette):
    assert await gazette.refresh() == LAWS
    gazette.time.now += 10 * DAY
    gazette.server.publish(SECOND, "20260109T090000Z")
    gazette.server.publish("BOE-A-2001-1", "20260109T090000Z")
    assert await gazette.refresh() == [SECOND]
    assert gazette.asked == ["list 20251231", f"/id/{SECOND}"]
    gazette.time.now += DAY
    assert await gazette.refresh() == []
    assert gazette.asked == ["list 20260110"]


async def test_law_listed_twice_is_downloaded_once(gazette):
    await gazette.refresh()
    gazette.server.publish(FIRST, "20260101T150000Z")
    gazette.time.now += DAY
    assert await gazette.refresh() == [FIRST]
    assert await gazette.refresh() == []
    assert gazette.asked == ["list 20260101"]


async def test_unchecked_or_missing_law_is_requested(gazette):
    await gazette.refresh([FIRST, SECOND])
    (gazette.folder / FIRST / "full.xml").write_bytes(b"<response>")
    gazette.time.now += DAY
    assert await gazette.refresh() == [FIRST, THIRD]
    assert gazette.asked == [
        "list 20251231",
        *(path for law in (FIRST, THIRD) for path in (f"/id/{law}/metadatos", f"/id/{law}")),
    ]


@pytest.mark.parametrize("kept", [b"", b"[]", b'{"day": "2026-01-01"}', b'{"day": "ayer", "laws": []}'])
async def test_without_a_last_check_each_law_costs_one_metadata_request(gazette, kept):
    await gazette.refresh()
    (gazette.folder / "checked.json").write_bytes(kept)
    assert await gazette.refresh() == []
    assert gazette.asked == [f"/id/{law}/metadatos" for law in LAWS]


async def test_last_check_in_the_future_is_ignored(gazette):
    gazette.time.now += 400 * DAY
    await gazette.refresh()
    gazette.time.now = START
    await gazette.refresh()
    assert gazette.asked == [f"/id/{law}/metadatos" for law in LAWS]


async def test_without_the_list_the_day_of_the_last_check_stays(gazette):
    await gazette.refresh()
    gazette.time.now += 10 * DAY
    gazette.server.failures.append(DOWN)
    with pytest.raises(SourceUnavailable):
        await gazette.refresh()
    assert gazette.asked == ["list 20251231"]
    gazette.time.now += DAY
    await gazette.refresh()
    assert gazette.asked == ["list 20251231"]


async def test_interrupted_law_is_requested_last_the_next_time(gazette):
    await gazette.refresh()
    gazette.time.now += 10 * DAY
    for law in (FIRST, SECOND):
        gazette.server.publish(law, "20260109T090000Z")
    gazette.server.publish(THIRD, "20250601T100000Z")
    async with gazette.run() as client:
        due = await client.due(LAWS)
        gazette.server.failures.append(DOWN)
        for law in due.laws:
            with pytest.raises(SourceUnavailable):
                await client.law(law, published=due.laws[law])
    assert gazette.asked == ["list 20251231", f"/id/{FIRST}"]
    gazette.time.now += 10 * DAY
    assert await gazette.refresh() == [SECOND, FIRST]
    assert gazette.asked[0] == "list 20260110"


async def test_a_law_whose_answer_cannot_be_read_is_asked_for_until_it_can(gazette):
    await gazette.refresh()
    gazette.time.now += 10 * DAY
    gazette.server.publish(FIRST, "20260109T090000Z")
    (gazette.server.folder / FIRST / "full.xml").write_bytes(b"<html>")
    gazette.server.publish(SECOND, "20260109T090000Z")
    assert await gazette.refresh() == [f"{FIRST} UnreadableAnswer", SECOND]
    gazette.time.now += 10 * DAY
    gazette.server.publish(FIRST, "20260109T090000Z")
    assert await gazette.refresh() == [FIRST]


async def test_a_law_that_has_left_the_base_is_told_when_it_is_asked_for_and_its_copy_stays(gazette):
    await gazette.refresh()
    gazette.server.listed = []
    for file in (gazette.server.folder / FIRST).iterdir():
        file.unlink()
    assert await gazette.refresh() == []
    async with gazette.run() as client:
        with pytest.raises(InvalidInput, match="no está en la base"):
            await client.law(FIRST)
        assert (await client.copy(FIRST)).updated == "20250601T100000Z"


async def test_unreadable_list_is_unavailable(gazette):
    await gazette.refresh()
    gazette.server.failures.append(b"<html>Portal cautivo</html>")
    with pytest.raises(SourceUnavailable, match="no se entiende") as failure:
        await gazette.refresh()
    assert not isinstance(failure.value, UnreadableAnswer)
    assert len(gazette.asked) == 1


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ([1] * 10, [1] * 8, (10, 8, 10, 8)),
        ([1] * 20, [1] * 17 + [0] * 3, (20, 17, 20, 17)),
        ([5] * 4, [5, 5, 5, 2], (4, 4, 20, 17)),
    ],
)
async def test_shrunk_response_is_set_aside_until_accepted(gazette, before, after, counts):
    gazette.server.publish(FIRST, "20250601T100000Z", before)
    await gazette.refresh()
    whole = (gazette.folder / FIRST / "full.xml").read_bytes()
    gazette.server.publish(FIRST, "20260102T100000Z", after)
    gazette.time.now += DAY
    for requests in ([f"/id/{FIRST}/metadatos", f"/id/{FIRST}"], [f"/id/{FIRST}/metadatos"]):
        async with gazette.run() as client:
            law = await client.law(FIRST)
        assert (law.shrunk.before.provisions, law.shrunk.after.provisions) == counts[:2]
        assert (law.shrunk.before.wordings, law.shrunk.after.wordings) == counts[2:]
        assert law.updated == "20250601T100000Z"
        assert law.path.read_bytes() == whole
        assert gazette.asked == requests
    # It is not current: each check asks for it, also when it is no longer on the list, and does not fetch it again.
    for requests in (["list 20251231"], ["list 20260101"], ["list 20260111", f"/id/{FIRST}/metadatos"]):
        assert await gazette.refresh() == []
        assert gazette.asked == requests
        gazette.time.now += 10 * DAY
    async with gazette.run() as client:
        law = await client.law(FIRST, accept_shrunk=True)
    assert gazette.asked == [f"/id/{FIRST}/metadatos"]
    assert (law.shrunk, law.updated) == (None, "20260102T100000Z")
    assert law.path.read_bytes() == (gazette.server.folder / FIRST / "full.xml").read_bytes()
    assert not (gazette.folder / FIRST / "full.xml.shrunk").exists()


@pytest.mark.parametrize(("before", "after"), [([1] * 10, [1] * 9), ([10], [9]), ([1, 1], [1, 1, 1]), ([1], [1])])
async def test_response_may_lose_a_tenth_and_grow_freely(gazette, before, after):
    gazette.server.publish(FIRST, "20250601T100000Z", before)
    await gazette.refresh()
    gazette.server.publish(FIRST, "20260102T100000Z", after)
    async with gazette.run() as client:
        assert (await client.law(FIRST)).shrunk is None


async def test_complete_response_replaces_the_one_set_aside(gazette):
    gazette.server.publish(FIRST, "20250601T100000Z", [1] * 10)
    await gazette.refresh()
    for updated, provisions in (("20260102T100000Z", 5), ("20260103T100000Z", 10)):
        gazette.server.publish(FIRST, updated, [1] * provisions)
        async with gazette.run() as client:
            law = await client.law(FIRST)
    assert (law.shrunk, law.updated) == (None, "20260103T100000Z")
    assert not (gazette.folder / FIRST / "full.xml.shrunk").exists()


async def test_the_requests_and_the_waiting_for_many_laws(gazette):
    """``docs/figures.md`` has the figures for 12,000 laws; here are 40."""
    laws = [f"BOE-A-2002-{number}" for number in range(40)]
    for law in laws:
        gazette.server.publish(law, "20250601T100000Z")
    await gazette.refresh(laws)
    assert len(gazette.asked) == 80  # one for the metadata and one for the text
    gazette.time.now += 7 * DAY
    for law in laws[:9]:
        gazette.server.publish(law, "20260105T100000Z")
    await gazette.refresh(laws)
    assert len(gazette.asked) == 10  # the list, and the texts that changed
    # Down from the start: four attempts in all, after 2, 4 and 8 seconds.
    gazette.time.pauses.clear()
    gazette.server.failures.extend([(500, {})] * 4)
    with pytest.raises(SourceUnavailable):
        await gazette.refresh(laws)
    assert (len(gazette.asked), gazette.time.pauses) == (4, [2.0, 4.0, 8.0])
    # Down after the list: the same once more, however many laws are left.
    for law in laws[:9]:
        gazette.server.publish(law, "20260108T100000Z")
    gazette.time.pauses.clear()
    async with gazette.run() as client:
        due = await client.due(laws)
        gazette.server.failures.extend([(500, {})] * 4)
        for law, published in due.laws.items():
            with pytest.raises(SourceUnavailable):
                await client.law(law, published=published)
    assert (len(due.laws), len(due.current)) == (9, 31)
    assert (len(gazette.asked), gazette.time.pauses) == (5, [2.0, 4.0, 8.0])


async def test_repeated_unreadable_responses_stop_the_run(gazette):
    laws = [f"BOE-A-2002-{number}" for number in range(9)]
    for law in laws:
        gazette.server.publish(law, "20250601T100000Z")
        if law != laws[2]:
            (gazette.server.folder / law / "metadatos.xml").write_bytes(b"<html>Portal cautivo</html>")
    unreadable = [f"{law} UnreadableAnswer" for law in laws]
    outcome = await gazette.refresh(laws)
    assert outcome == [*unreadable[:2], laws[2], *unreadable[3:8], f"{laws[8]} SourceUnavailable"]
    assert len(gazette.asked) == 9  # one each, two for the law that came
