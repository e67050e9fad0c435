"""Pages in the browser: start page, viewer, map editor, seats of people, contests."""
