"""Principals and readers: answers and searches by a chat model or offline, without a provider."""
