"""Pages in the browser: the start page, the map editor, and the live page of a tournament."""
