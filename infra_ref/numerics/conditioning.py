"""Condition numbers and forward errors."""
