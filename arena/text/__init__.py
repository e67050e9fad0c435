"""Text that comes from outside, or goes to a terminal or page."""
