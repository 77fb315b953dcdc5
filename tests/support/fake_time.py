"""A clock that only moves when somebody sleeps."""


class FakeTime:
    """Unix time in seconds; ``pauses`` are the sleeps asked for."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
