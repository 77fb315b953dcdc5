import pytest
from doubles import FakeEmbedder, FakeStore, QueueChat, make_services


class Closing:
    """Adds to a double a record of its closing, which may fail."""

    def __init__(self, of, name, closed, failing=()):
        self.of, self.name, self.closed, self.failing = of, name, closed, failing

    def __getattr__(self, attribute):
        return getattr(self.of, attribute)

    async def close(self):
        self.closed.append(self.name)
        if self.name in self.failing:
            raise OSError(self.name)


def services_that(closed: list[str], failing: tuple[str, ...] = ()):
    parts = {"reader": QueueChat("a"), "principal": QueueChat("b"), "embedder": FakeEmbedder(), "store": FakeStore([])}
    return make_services(**{name: Closing(part, name, closed, failing) for name, part in parts.items()})


async def test_everything_with_connections_is_closed():
    closed: list[str] = []
    await services_that(closed).close()
    assert sorted(closed) == ["embedder", "principal", "reader", "store"]


@pytest.mark.parametrize("failing", ["embedder", "principal", "reader", "store"])
async def test_one_that_fails_to_close_does_not_keep_the_others_open(failing):
    closed: list[str] = []
    with pytest.raises(OSError, match=failing):
        await services_that(closed, (failing,)).close()
    assert sorted(closed) == ["embedder", "principal", "reader", "store"]
