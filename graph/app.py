"""The graph of this process, built from its environment: what ``langgraph.json`` names.

Importing this opens the index (and builds the demo one the first time); ``graph.compose`` has the same as functions.
"""

from graph.compose import open_rag

rag = open_rag()
