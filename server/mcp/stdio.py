"""The MCP server of a program that has started this one: it speaks over its standard streams until they end."""

from mcp.server.stdio import stdio_server

from graph.open_graphs import OpenGraphs
from server.mcp.protocol import mcp_server
from server.operations.health import Readiness


async def serve_stdio(opened: OpenGraphs) -> None:
    """Serve one client on the standard input and output, which nothing else may write to meanwhile."""
    server, readiness = mcp_server(opened), Readiness(opened.warm_up)
    try:
        async with stdio_server() as (requests, answers):
            readiness.begin()
            await server.run(requests, answers, server.create_initialization_options())
    finally:
        await readiness.end()
        await opened.close()
