"""How much the server takes on."""
