"""Number formats and what they do to arithmetic."""
