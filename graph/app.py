"""The graphs of this process, built from its environment, for Python programs.

Importing this opens the index (and builds the first one of the profile); ``graph.compose`` has the same as functions.
An Agent Server has its graphs from ``server.agent``.
"""

from graph.case import build_generate_response, build_required_data
from graph.compose import open_services
from graph.rag import build_rag
from services.portal import wait_for

services = wait_for(open_services())
rag = build_rag(services)
required_data = build_required_data(services)
generate_response = build_generate_response(services)
