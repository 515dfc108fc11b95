"""Backward passes written by hand, and finite differences to check them."""
