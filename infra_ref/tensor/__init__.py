"""Tensors in plain Python: where their elements live, and the algebra of their products."""
