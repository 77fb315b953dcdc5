"""Agent Server adapter: the graphs, routes and access rules that ``langgraph.json`` names."""
