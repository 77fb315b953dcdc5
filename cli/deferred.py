"""Packages that others import a small module of, and whose own ``__init__`` waits until somebody asks it for something.

LangGraph takes one type from the client of its servers, and LangSmith one list of names from two hundred modules of
types: a tenth of the start of a command. Only what a package gathers in its ``__init__`` waits; its modules are
imported as ever. Where somebody uses a name of the package, it is there.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import get_ident
from types import ModuleType
from typing import Any

DEFERRED = ("langgraph_sdk", "langsmith.types")


def defer_packages(names: Sequence[str] = DEFERRED) -> None:
    """Have packages that nobody has imported yet executed at the first use of a name of theirs."""
    sys.meta_path.insert(0, _DeferringFinder(names))


class _DeferringFinder(MetaPathFinder):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _DeferredLoader(spec.loader)
        return spec


class _DeferredLoader(Loader):
    """Executes a module when a name is asked for that it does not have: by ``__getattr__`` of a module (PEP 562)."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        threads: set[int] = set()

        def load_and_get(name: str) -> Any:
            # No lock: who waited for one while others wait for the lock of an import would wait for ever. Two threads
            # that execute it at once bind the same names.
            if get_ident() in threads:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            threads.add(get_ident())
            try:
                self._loader.exec_module(module)
            finally:
                threads.discard(get_ident())
            if module.__dict__.get("__getattr__") is load_and_get:
                del module.__getattr__
            return getattr(module, name)

        module.__getattr__ = load_and_get  # type: ignore[method-assign]
