"""Finite distributions: joint, marginal, conditional, Bayes, expectation."""
