"""Runnable reference code of the InfraRef course."""
