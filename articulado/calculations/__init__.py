"""Values and rules that calculations rest on, each with its norm and its days."""
