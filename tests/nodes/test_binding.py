"""Stages are bound to services by the names of their keyword-only parameters."""

import threading
from dataclasses import dataclass
from functools import cached_property

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from nodes.stage import Router, SecondsAccount, services_of, stage


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


def test_a_stage_gets_the_services_named_by_its_parameters():
    assert services_of(takes_both, Few("a")) == {"store": "a", "derived": "a!"}


def test_a_missing_service_fails_when_the_graph_is_built():
    with pytest.raises(TypeError, match=r"^takes_others asks for services that Few lacks: stroe, clock$"):
        stage(takes_others, Few("a"), SecondsAccount("es"))


def test_the_error_of_a_broken_service_is_raised():
    with pytest.raises(AttributeError, match="said by the service itself"):
        services_of(takes_broken, Few("a"))


class Number(TypedDict):
    number: int


async def test_a_router_chooses_the_stage_in_the_thread_of_the_caller():
    threads = []

    def after_start(state):
        threads.append(threading.get_ident())
        return "add" if state["number"] else END

    async def add(state):
        return {"number": state["number"] + 1}

    builder = StateGraph(Number)
    builder.add_node("add", add)
    builder.add_conditional_edges(START, Router(after_start), ["add", END])
    graph = builder.compile()
    assert [await graph.ainvoke({"number": number}) for number in (0, 5)] == [{"number": 0}, {"number": 6}]
    assert threads == [threading.get_ident()] * 2
