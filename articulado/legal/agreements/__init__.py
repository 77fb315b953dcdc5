"""Collective agreements: their names, scope, sectors and validity."""
