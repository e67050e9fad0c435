"""Present a tournament: documents, tables, pages, brackets, and the progress display."""
