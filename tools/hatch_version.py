"""Hatch metadata hook: pin the other Arena distributions to the version that is being built.

A distribution lists the Arena distributions that it needs under ``same-version``, and all other dependencies under
``dependencies``.
"""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PinSameVersion(MetadataHookInterface):
    """Adds the dependency ``NAME==VERSION`` for each name under ``same-version``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies of the distribution."""
        pinned = [f"{name}=={metadata['version']}" for name in self.config["same-version"]]
        metadata["dependencies"] = [*pinned, *self.config.get("dependencies", [])]
