"""The typed state that travels through the graphs, and the values in it."""
