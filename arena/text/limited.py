"""Read files of a limited size: a file from somebody else can be of any size, or a device without end."""

import errno
from pathlib import Path

MIB = 1024 * 1024


def read_limited(path: Path, most: int) -> bytes:
    """Return the content of a file or pipe.

    Raises:
        OSError: It cannot be read, or has more than `most` bytes.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"It is larger than {most:,} bytes", str(path))
    return data
