"""What ``langgraph.json`` names: the application as an Agent Server serves it."""
