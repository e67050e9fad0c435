"""The playground: write a bot in the browser and watch it play, with nothing installed and without a server.

`export` writes a folder with the page, Pyodide, and the rules of all installed games. Any web server can serve it.
"""

from arena_playground.export import export, link

__all__ = ["export", "link"]
