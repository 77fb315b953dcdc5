"""The BOE's open data: consolidated legislation over HTTP."""
