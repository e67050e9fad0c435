"""The keys of a cluster, the address of its scheduler, and the address on which its workers listen.

Dask runs all programs that it receives. With keys, only their holders can send programs to the scheduler or a worker.
"""

import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.errors import ArenaError, ExitCode
from arena.text.reading import address_parts

CERTIFICATE, KEY = "certificate.pem", "key.pem"
WARNING = (
    "Warning: this cluster has no keys. Anyone who reaches a port of the scheduler or of a worker can run programs "
    "on the workers. Make keys with `arena cluster keys FOLDER`, and use --keys FOLDER on all its machines."
)


def make_keys(folder: Path) -> tuple[Path, Path]:
    """Make a self-signed certificate and its key in Dask's form. All machines of a cluster share them.

    Returns:
        The paths of the certificate and of the key.
    """
    from distributed.security import Security

    certificate, key = folder / CERTIFICATE, folder / KEY
    if certificate.exists() or key.exists():
        raise ArenaError(
            f"There are keys in {folder} already.",
            hint="Use another folder, or remove them.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
    make: Any = Security.temporary
    made = make()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, text in ((certificate, made.tls_client_cert), (key, made.tls_client_key)):
            with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ArenaError(f"{folder} cannot be used: {reason}.", exit_code=ExitCode.CANNOT_WRITE) from error
    return certificate, key


def security_of(folder: Path | None, scheduler: str) -> Any:
    """Return the keys of a folder as a `distributed.Security`, or None for a cluster without keys."""
    from distributed.security import Security

    if folder is None:
        if scheduler.startswith("tls://"):
            raise ArenaError(
                f"The scheduler at {scheduler} expects keys.",
                hint="Give the folder of `arena cluster keys`: --keys FOLDER, or --engine-option keys=FOLDER.",
                exit_code=ExitCode.NOT_REACHED,
            )
        return None
    if not scheduler.startswith("tls://"):
        raise ArenaError(
            f"Keys cannot be used with {scheduler}.",
            hint="Start the scheduler with the keys, and give its address that begins with tls://.",
            exit_code=ExitCode.NOT_REACHED,
        )
    certificate, key = folder / CERTIFICATE, folder / KEY
    for path in (certificate, key):
        if not path.is_file():
            raise ArenaError(f"There is no {path}.", hint="`arena cluster keys FOLDER` makes it.")
    roles: Any = {"tls_ca_file": str(certificate)}
    for role in ("client", "scheduler", "worker"):
        roles |= {f"tls_{role}_cert": str(certificate), f"tls_{role}_key": str(key)}
    make_security: Any = Security
    return make_security(require_encryption=True, **roles)


def check_address(scheduler: str) -> None:
    """Check the form of an address before connecting."""
    parts = address_parts(scheduler)
    if parts is None or not parts.scheme or parts.port is None:
        raise ArenaError(
            f"{scheduler!r} is not an address of a scheduler.",
            hint="The scheduler prints its address when it starts, such as tcp://host:8786.",
            exit_code=ExitCode.NOT_REACHED,
        )


def no_scheduler(scheduler: str) -> ArenaError:
    return ArenaError(
        f"No Dask scheduler answers at {scheduler}.",
        hint="Start one with: arena cluster scheduler.",
        exit_code=ExitCode.NOT_REACHED,
    )


def host_for(scheduler: str) -> str:
    """Return this machine's address in the scheduler's network. Nothing is sent to the scheduler.

    `check_address` must have accepted the address of the scheduler.
    """
    parts = urlsplit(scheduler)
    try:
        family, _, _, _, address = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    except OSError as error:
        raise ArenaError(
            f"There is no route to the scheduler at {scheduler}: {error.strerror or error}.",
            hint="Check the address, or give the address to listen on with --host.",
            exit_code=ExitCode.NOT_REACHED,
        ) from error
