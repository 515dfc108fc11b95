"""Measuring: programs that time something, and the records they leave for pages to read."""
