"""Download Pyodide before the wheel is built. An editable install without a network goes on without it."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make sure that Pyodide is there."""
        if self.target_name != "wheel":
            return
        pyodide = runpy.run_path(str(Path(self.root) / "arena_playground" / "pyodide.py"))
        try:
            pyodide["fetch"]()
        except OSError as error:
            if version != "editable":
                raise
            self.app.display_warning(f"arena-playground has no Pyodide: {error}")
        build_data["artifacts"].append("arena_playground/vendor/pyodide/*")
