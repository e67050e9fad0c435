"""Hatch metadata hook: pin the other Arena distributions to the version that is being built.

A distribution lists the ones it needs under ``same-version`` and all others under ``dependencies``.
"""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PinSameVersion(MetadataHookInterface):
    """Adds ``NAME==VERSION`` for each distribution of this repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies of the distribution."""
        pinned = [f"{name}=={metadata['version']}" for name in self.config["same-version"]]
        metadata["dependencies"] = [*pinned, *self.config.get("dependencies", [])]
