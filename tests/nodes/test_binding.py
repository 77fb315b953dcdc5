"""Stages are bound to services by the names of their keyword-only parameters."""

from dataclasses import dataclass
from functools import cached_property

import pytest

from nodes.stage import SecondsAccount, services_of, stage


@dataclass(frozen=True)
class Few:
    store: str

    @property
    def derived(self) -> str:
        return f"{self.store}!"

    @cached_property
    def broken(self) -> str:
        raise AttributeError("said by the service itself")


async def takes_both(state, runtime, *, store, derived):
    return {}


async def takes_others(state, runtime, *, store, stroe, clock=None):
    return {}


async def takes_broken(state, runtime, *, broken):
    return {}


def test_a_stage_is_given_the_services_that_it_names():
    assert services_of(takes_both, Few("a")) == {"store": "a", "derived": "a!"}


def test_a_service_that_there_is_not_is_an_error_when_the_graph_is_built():
    with pytest.raises(TypeError, match=r"^takes_others asks for services that Few lacks: stroe, clock$"):
        stage(takes_others, Few("a"), SecondsAccount("es"))


def test_a_service_that_fails_says_so_itself():
    with pytest.raises(AttributeError, match="said by the service itself"):
        services_of(takes_broken, Few("a"))
