"""One collection of the embedded store: arrays on disk, mapped into memory, searched exactly.

Files of a collection of n points by ascending id, m of them with a dense vector:

    ids.npy, parents.npy             (n,) int64
    dense.npy, dense_rows.npy        (m, dimensions) float32 of length 1; (m,) int32, the point's row of each vector
    sparse_terms.npy, …_starts, …_rows, …_weights   sparse vectors as inverted lists by ascending term
    ref_terms.npy, …_starts, …_rows  inverted lists of the chunks that a chunk refers to, without weights
    fields.json, fields.npy          sorted values of each filtered field; (fields, n) int32, their positions or -1
    chunks.jsonl, chunk_starts.npy   one payload a line; (n + 1,) int64, where each begins

Sparse score, as the Qdrant server computes it: sum over the query's terms of query weight * chunk weight * ln(1 + (N -
df + 0.5) / (df + 0.5)); N: chunks with a sparse vector, df: those with the term.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log1p
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.store.filters import (
    After,
    AllOf,
    Clause,
    Condition,
    ContainsAny,
    IsMissing,
    IsNull,
    NoneOf,
    OneOf,
    OnOrBefore,
    value_at,
)
from articulado.store.generations import REBUILD_HINT, open_durably
from articulado.store.layout import ATTRIBUTES, CONTENT, INDEXED_FIELDS, METADATA, Payload
from articulado.store.rrf import Scored
from articulado.values.arrays import map_array
from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import HybridQuery, SparseVector

Ids = NDArray[np.int64]
Rows = NDArray[np.int32]
Vectors = NDArray[np.float32]
Mask = NDArray[np.bool_]

REFS = "refs"
FIELDS = tuple(name for name in INDEXED_FIELDS if name not in (REFS, "parent_id"))
"""Filtered fields with listed values, beside the attributes; the two excluded fields have arrays of their own."""

LINES = "chunks.jsonl"
NAMES = "fields.json"

GATHERED = 0.1  # filtered vectors are copied out of the matrix before the product if their share is below this

MAX_MASKS = 64  # cached clause masks, one byte a point each


class InvertedLists(NamedTuple):
    """Rows of each term, in ascending order of terms: ``rows[starts[i] : starts[i + 1]]``."""

    terms: Ids
    starts: Ids
    rows: Rows
    weights: Vectors

    @classmethod
    def of(cls, rows: Ids, terms: Ids, weights: Vectors) -> "InvertedLists":
        """Build the lists from parallel arrays of rows, terms and weights, in any order."""
        by_term = np.lexsort((rows, terms))
        unique, counts = np.unique(terms, return_counts=True)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(unique, starts, rows[by_term].astype(np.int32), weights[by_term].astype(np.float32))

    def place(self, term: int) -> slice | None:
        """Return the slice of a term's rows; ``None`` if no row has it."""
        place = int(np.searchsorted(self.terms, term))
        if place == len(self.terms) or self.terms[place] != term:
            return None
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


class Contents(NamedTuple):
    """Points of a collection by ascending id; ``lines``: JSON payloads."""

    ids: Ids
    parents: Ids
    dense: Vectors
    dense_rows: Rows
    sparse: InvertedLists
    refs: InvertedLists
    fields: dict[str, list[str]]
    codes: Rows
    lines: Iterable[bytes]


def values_of(chunk: Chunk) -> dict[str, str]:
    named: dict[str, object] = {f"{ATTRIBUTES}{name}": value for name, value in chunk["attributes"].items()}
    named |= {name: value_at(chunk, name) for name in FIELDS}
    return {name: str(value) for name, value in named.items() if value is not None}


def coded(values: Sequence[dict[str, str]]) -> tuple[dict[str, list[str]], Rows]:
    """Return the sorted values of each field, and each point's position among them, (fields, n); -1: no value."""
    names = sorted({name for each in values for name in each})
    listed = {name: sorted({each[name] for each in values if name in each}) for name in names}
    codes = np.full((len(names), len(values)), -1, dtype=np.int32)
    for row, name in enumerate(names):
        places = {value: place for place, value in enumerate(listed[name])}
        codes[row] = [places.get(each.get(name, ""), -1) if name in each else -1 for each in values]
    return listed, codes


def write_collection(folder: Path, contents: Contents) -> None:
    """Write the files of a collection durably into a new folder."""
    folder.mkdir(parents=True)
    starts = array("q", [0])
    with open_durably(folder / LINES) as stream:
        for line in contents.lines:
            starts.append(starts[-1] + stream.write(line + b"\n"))
    arrays = {
        "ids": contents.ids,
        "parents": contents.parents,
        "dense": contents.dense,
        "dense_rows": contents.dense_rows,
        "fields": contents.codes,
        "chunk_starts": np.array(starts, np.int64),
        **{f"sparse_{name}": values for name, values in contents.sparse._asdict().items()},
        **{f"ref_{name}": values for name, values in contents.refs._asdict().items()},
    }
    for name, values in arrays.items():
        with open_durably(folder / f"{name}.npy") as stream:
            np.save(stream, values)
    with open_durably(folder / NAMES) as stream:
        stream.write(orjson.dumps(contents.fields))


class Collection:
    """The points of a collection, by row: the position in the order of ids. Methods raise ``StoreUnavailable``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self.ids: Ids = self._array("ids")
            self.parents: Ids = self._array("parents")
            self.dense: Vectors = self._array("dense")
            self.dense_rows: Rows = self._array("dense_rows")
            self.codes: Rows = self._array("fields")
            self.sparse = InvertedLists(*(self._array(f"sparse_{name}") for name in InvertedLists._fields))
            self.refs = InvertedLists(*(self._array(f"ref_{name}") for name in InvertedLists._fields))
            self.starts: Ids = self._array("chunk_starts")
            self.fields: dict[str, list[str]] = orjson.loads((folder / NAMES).read_bytes())
            self._lines = np.memmap(folder / LINES, np.uint8, "r") if len(self.ids) else np.empty(0, np.uint8)
            lengths = (len(self.parents), self.codes.shape[-1], len(self.starts) - 1, len(self.ids))
            if len(set(lengths)) != 1 or len(self.dense) != len(self.dense_rows) or self.starts[-1] > len(self._lines):
                raise ValueError(str(lengths))
        except (OSError, ValueError, TypeError, EOFError, IndexError) as error:
            raise self._damaged() from error
        self._places = {name: place for place, name in enumerate(sorted(self.fields))}
        self._sparse_points = int(np.count_nonzero(np.bincount(self.sparse.rows, minlength=len(self.ids))))
        self._clause = lru_cache(MAX_MASKS)(self._clause_mask)

    def __len__(self) -> int:
        return len(self.ids)

    def rows_of(self, ids: Iterable[int]) -> Rows:
        """Return the rows of the ids that the collection has."""
        wanted = np.unique(np.fromiter(ids, np.int64))
        places = np.searchsorted(self.ids, wanted)
        inside = places < len(self.ids)
        places, wanted = places[inside], wanted[inside]
        return np.asarray(places[self.ids[places] == wanted], np.int32)

    def payload(self, row: int) -> Payload:
        """Return the payload of a point; a child's includes the text of its parent."""
        try:
            payload: Payload = orjson.loads(self.line(row))
            if not isinstance(payload.get(METADATA), dict):
                raise ValueError(row)
            if self.parents[row] != self.ids[row]:
                for parent in self.rows_of([int(self.parents[row])]).tolist():
                    payload[METADATA]["parent_content"] = orjson.loads(self.line(parent))[CONTENT]
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise self._damaged() from error
        return payload

    def line(self, row: int) -> bytes:
        return self._lines[int(self.starts[row]) : int(self.starts[row + 1]) - 1].tobytes()

    def values(self, rows: Ids) -> list[dict[str, str]]:
        """Return the values of the filtered fields of each row."""
        values: list[dict[str, str]] = [{} for _ in rows]
        for name, place in self._places.items():
            listed = self.fields[name]
            for of_row, code in zip(values, self.codes[place][rows].tolist(), strict=True):
                if code >= 0:
                    of_row[name] = listed[code]
        return values

    def dense_of(self, rows: Rows) -> dict[int, list[float]]:
        among = np.flatnonzero(np.isin(self.dense_rows, rows))
        return dict(zip(self.dense_rows[among].tolist(), self.dense[among].tolist(), strict=True))

    def sparse_of(self, rows: Rows) -> dict[int, SparseVector]:
        """Return the sparse vector of each row that has one."""
        terms = np.repeat(self.sparse.terms, np.diff(self.sparse.starts))
        among = np.isin(self.sparse.rows, rows)
        vectors: dict[int, tuple[list[int], list[float]]] = {}
        for row, term, weight in zip(
            self.sparse.rows[among].tolist(), terms[among].tolist(), self.sparse.weights[among].tolist(), strict=True
        ):
            indices, values = vectors.setdefault(row, ([], []))
            indices.append(term)
            values.append(weight)
        return {row: SparseVector(tuple(indices), tuple(values)) for row, (indices, values) in vectors.items()}

    def passing(self, clauses: Sequence[Clause]) -> Mask | None:
        """Return the mask of the points that satisfy all clauses, (n,); ``None``: all points."""
        masks = [mask for mask in map(self._clause, clauses) if mask is not None]
        return _all(masks) if masks else None

    def search(
        self, queries: Sequence[HybridQuery], clauses: Sequence[Clause], *, points: int, parents: int
    ) -> list[list[list[Scored]]]:
        """Return the rankings of each query, dense before sparse: the best ``parents`` among the best ``points``.

        A parent has the score of its best point; ties go to the smaller id. A side without a vector has no ranking.
        """
        passing = self.passing(clauses)
        kept = None if passing is None else np.flatnonzero(passing[self.dense_rows])
        rankings = []
        for query in queries:
            sides = [self._dense(query.dense, kept)] if query.dense is not None else []
            sides += [self._sparse(query.sparse, passing)] if query.sparse.indices else []
            rankings.append([self._best(rows, scores, points, parents) for rows, scores in sides])
        return rankings

    def _dense(self, query: Vectors, kept: NDArray[np.intp] | None) -> tuple[Rows, Vectors]:
        if not len(self.dense):
            return self.dense_rows, np.empty(0, np.float32)
        length = np.linalg.norm(query)
        unit = np.asarray(query, np.float32) / (length or np.float32(1))
        # One query at a time: how many are searched together must not change the last bit of a score.
        if kept is None:
            return self.dense_rows, self.dense @ unit
        is_small = len(kept) < len(self.dense) * GATHERED
        return self.dense_rows[kept], self.dense[kept] @ unit if is_small else (self.dense @ unit)[kept]

    def _sparse(self, query: SparseVector, passing: Mask | None) -> tuple[Rows, Vectors]:
        scores = np.zeros(len(self), np.float32)
        lists = self.sparse
        places = np.searchsorted(lists.terms, query.indices).tolist()
        for place, term, weight in zip(places, query.indices, query.values, strict=True):
            if place == len(lists.terms) or lists.terms[place] != term:
                continue
            of_term = slice(lists.starts[place], lists.starts[place + 1])
            count = int(of_term.stop - of_term.start)
            idf = log1p((self._sparse_points - count + 0.5) / (count + 0.5))
            scores[lists.rows[of_term]] += lists.weights[of_term] * np.float32(weight * idf)
        rows = np.flatnonzero(scores > 0 if passing is None else (scores > 0) & passing)
        return rows.astype(np.int32), scores[rows]

    def _best(self, rows: Rows, scores: Vectors, points: int, parents: int) -> list[Scored]:
        if len(scores) > points:
            near = np.flatnonzero(scores >= np.partition(scores, len(scores) - points)[len(scores) - points])
            rows, scores = rows[near], scores[near]
        # By descending score, then by id: rows are in the order of ids.
        order = np.lexsort((rows, -scores))[:points]
        ids, firsts = np.unique(self.parents[rows[order]], return_index=True)
        best = scores[order][firsts]
        ranked = np.lexsort((ids, -best))[:parents]
        return list(zip(ids[ranked].tolist(), best[ranked].tolist(), strict=True))

    # Filters

    def _clause_mask(self, clause: Clause) -> Mask | None:
        mask: Mask = np.logical_or.reduce([self._holds(condition) for condition in clause])
        return None if mask.all() else mask

    def _holds(self, condition: Condition) -> Mask:
        match condition:
            case AllOf(conditions=conditions):
                return _all([self._holds(part) for part in conditions])
            case ContainsAny(values=numbers):
                mask = np.zeros(len(self), np.bool_)
                for number in numbers:
                    if place := self.refs.place(number):
                        mask[self.refs.rows[place]] = True
                return mask
            case IsNull(field="parent_id"):
                is_parent: Mask = self.parents == self.ids
                return is_parent
        codes, values = self._coded(condition.field)
        match condition:
            case IsNull() | IsMissing():
                return codes < 0
            case OneOf(values=wanted):
                return np.isin(codes, _places(values, wanted))
            case NoneOf(values=unwanted):
                return ~np.isin(codes, _places(values, unwanted))
            case OnOrBefore(day=day):
                return (codes >= 0) & (codes < bisect_right(values, day.isoformat()))
            case After(day=day):
                return codes >= bisect_right(values, day.isoformat())
        raise AssertionError(condition)

    def _coded(self, field: str) -> tuple[Rows, list[str]]:
        if field not in FIELDS and not field.startswith(ATTRIBUTES):
            raise KeyError(field)
        place = self._places.get(field)
        return (np.full(len(self), -1, np.int32), []) if place is None else (self.codes[place], self.fields[field])

    def _array(self, name: str) -> Any:
        return map_array(self._folder / f"{name}.npy")

    def _damaged(self) -> StoreUnavailable:
        folder = self._folder
        return StoreUnavailable(
            translate("store.collection_damaged", name=folder.name, folder=folder.parent, command=REBUILD_HINT)
        )


def _all(masks: Sequence[Mask]) -> Mask:
    mask: Mask = np.logical_and.reduce(masks)
    return mask


def _places(values: Sequence[str], wanted: Iterable[str]) -> list[int]:
    places = ((bisect_left(values, value), value) for value in wanted)
    return [place for place, value in places if place < len(values) and values[place] == value]
