"""What people see of a tournament: tables for the terminal, CSV and Markdown, and pages with drawings."""
