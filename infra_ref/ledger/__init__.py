"""Ledgers: how many operations, bytes and seconds a computation costs, before it runs."""
