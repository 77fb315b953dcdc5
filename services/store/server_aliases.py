"""The aliases of a Qdrant server, by which outsiders find the collections of an index."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from services.store.connection import explained
from services.store.server_collection import SEPARATOR, collection_name

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient


async def switch_aliases(client: "AsyncQdrantClient", collections: Mapping[str, str]) -> None:
    """Lead the aliases (the keys) to the collections of a generation, all in one request, where they do not already.

    A collection that the new generation lacks loses its alias too: the aliases lead to one build. Those of other
    programs stay.
    """
    from qdrant_client import models

    with explained():
        aliases = {alias.alias_name: alias.collection_name for alias in (await client.get_aliases()).aliases}
        replaced = {aliases[name].removeprefix(name + SEPARATOR) for name in collections if name in aliases}
        ours = {
            alias: collection
            for alias, collection in aliases.items()
            if collection in {collection_name(alias, generation) for generation in replaced}
        }
        if ours == collections:
            return
        operations: list[models.AliasOperations] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)) for alias in ours
        ]
        operations += [
            models.CreateAliasOperation(create_alias=models.CreateAlias(alias_name=name, collection_name=collection))
            for name, collection in collections.items()
        ]
        await client.update_collection_aliases(operations)
