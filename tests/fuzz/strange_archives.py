"""Archives of bots in which something is wrong: names, sizes, kinds, headers, compression, or any bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
import zlib
from random import Random

from altered import NUMBERS, altered_bytes

ODD_NAMES = (
    *(
        "x/../main.py",
        "..",
        "/etc/passwd",
        ".",
        "",
        " ",
        "\\x",
        "C:x",
        "a\nb",
        "\x1b[2J",
        "\u202e",
        "\udcff",
        "n/" * 60,
    ),
    *("d/" * 13, "main.py/x", "a/main.py/", "con", "a\0b", "n" * 300, "l" * 70_000),
)
NAMES = (
    "bot.toml",
    "a/b/c.txt",
    "a",
    "a/",
    "./x.py",
    "bücher.txt",
    "n" * 99,
    "n" * 150,
    "__pycache__/x",
    ".git/config",
)
CONTENTS = (b"", b"pass\n", b'python = "main.py"\n', b"[" * 100, b"x" * 511, b"x" * 512, b"x" * 513, b"y" * 70_000)
KINDS = b"0" * 40 + b"5555LLLLKxxxxxxg1234567SDMVNXA\0"
PAX_KEYS = ("path", "size", "linkpath", "mtime", "uid", "hdrcharset", "GNU.sparse.map", "GNU.sparse.size", "comment")
PAX_KEYS += ("GNU.sparse.major", "GNU.sparse.minor", "GNU.sparse.name", "GNU.sparse.realsize", "GNU.sparse.numblocks")
SUFFIXES = (".tar.gz", ".tgz", ".zip")


def strange_archive(rng: Random) -> tuple[str, bytes]:
    """Return the name and the bytes of a file."""
    is_zip = rng.random() < 0.4
    data = strange_zip(rng) if is_zip else packed(strange_tar(rng), rng)
    if rng.random() < 0.25:
        data = altered_bytes(data, rng, [data, b"PK\5\6" + bytes(18), gzip.compress(b"x")])
    suffix = rng.choice(SUFFIXES) if rng.random() < 0.05 else ".zip" if is_zip else rng.choice(SUFFIXES[:2])
    return f"bot{suffix}", data


def name(rng: Random) -> str:
    """Return the name of a file, often a new one."""
    return rng.choice(
        ODD_NAMES if rng.random() < 0.08 else (*NAMES, *(f"{rng.randrange(10**6)}.py" for _ in range(20)))
    )


def content(rng: Random) -> bytes:
    """Return what a file holds, at times more than fits into the memory of whoever reads it at once."""
    if rng.random() < 0.002:
        return bytes(rng.choice((1 << 20, 1 << 22, 1 << 26)))
    return rng.choice(CONTENTS)


# --- tar


def strange_tar(rng: Random) -> bytes:
    """Return a tar archive that Python wrote, or one that is put together from odd headers; either may be altered."""
    data = honest_tar(rng) if rng.random() < 0.3 else b"".join(member(rng) for _ in range(count(rng))) + bytes(1024)
    return altered_bytes(data, rng, [data]) if rng.random() < 0.3 else data


def count(rng: Random) -> int:
    """Return how many members an archive has."""
    return rng.choice((1, 2, 3, 3, 3, 10, 40)) if rng.random() < 0.997 else 2_500


def honest_tar(rng: Random) -> bytes:
    out = io.BytesIO()
    layout = rng.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=out, mode="w", format=layout, errors="surrogateescape") as archive:
        for member_name in ["main.py", *(name(rng) for _ in range(rng.randrange(4)))]:
            info = tarfile.TarInfo(member_name)
            data = content(rng)
            info.size, info.mode = len(data), rng.choice((0o644, 0o755, 0, 0o7777))
            if rng.random() < 0.1:
                info.pax_headers = {rng.choice(PAX_KEYS): rng.choice(("0", "-1", "1,2", "9" * 30, "nan", "x"))}
            try:
                archive.addfile(info, io.BytesIO(data))
            except (ValueError, OSError):  # this layout cannot write the name
                continue
    return out.getvalue()


def member(rng: Random) -> bytes:
    """Return a member of a tar archive: often a strange one, with more or fewer bytes than it claims."""
    kind = rng.choice(KINDS)
    data = content(rng)
    if kind in b"LK":
        data = rng.choice((name(rng).encode("utf-8", "surrogateescape") + b"\0", bytes(70_000), b"a" * 65_536))
    elif kind in b"xgX":
        data = b"".join(pax_record(rng) for _ in range(rng.choice((1, 2, 50))))
    header = tar_header(rng, kind, len(data))
    if kind in b"S":
        header += b"".join(
            rng.randbytes(504) + bytes([rng.randrange(2)]) + bytes(7) for _ in range(rng.choice((0, 1, 9)))
        )
    return header + data + bytes(-len(data) % 512)


def pax_record(rng: Random) -> bytes:
    value = rng.choice(("0", "1", "-1", "9" * 40, "nan", "1e400", "1,1", "0," * 3_000, "x", "BINARY", name(rng)))
    text = f" {rng.choice(PAX_KEYS)}={value}\n".encode("utf-8", "surrogateescape")
    size = len(text) + len(str(len(text) + 2))
    return str(size if rng.random() < 0.8 else rng.choice(NUMBERS)).encode() + text


def tar_header(rng: Random, kind: int, size: int) -> bytes:
    header = bytearray(512)
    field = name(rng).encode("utf-8", "surrogateescape")[:100]
    header[: len(field)] = field
    header[100:108], header[108:116], header[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    header[124:136] = f"{size:011o}\0".encode()
    header[136:148], header[148:156], header[156] = b"0" * 11 + b"\0", b" " * 8, kind
    header[257:265] = rng.choice((b"ustar  \0", b"ustar\x0000", bytes(8)))
    if kind in b"S":
        for at in range(386, 482, 12):
            header[at : at + 12] = f"{rng.choice((0, 1, 512, 8**11 - 1)):011o}\0".encode()
        header[482] = rng.randrange(2)
    if rng.random() < 0.2:
        number = rng.choice(NUMBERS)
        base = b"\x80" + (number % 2**88).to_bytes(11, "big")
        header[124:136] = rng.choice((base, b"\xff" * 12, b"7" * 12, b"-0000000001\0", b"x" * 12))
    if rng.random() < 0.2:
        at = rng.choice((0, 100, 136, 157, 257, 329, 345, 386, 483))
        header[at : at + 12] = rng.randbytes(12)
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    return bytes(header)


def packed(data: bytes, rng: Random) -> bytes:
    """Return a tar archive, compressed by gzip: in parts, with odd headers, cut, or by something else."""
    way = rng.randrange(24)
    if way == 0:
        return rng.choice((data, bz2.compress(data), lzma.compress(data), gzip.compress(gzip.compress(data))))
    if way == 1:
        cut = rng.randrange(len(data) + 1)
        return gzip.compress(data[:cut], 1) + gzip.compress(data[cut:], 1)
    if way == 2:
        return gzip.compress(data, 1) + rng.randbytes(rng.choice((1, 8, 5_000)))
    if way == 3:
        stream = zlib.compressobj(1, zlib.DEFLATED, -15)
        flags = rng.randrange(256)
        more = rng.randbytes(rng.choice((0, 2, 300))) + bytes(rng.choice((0, 1, 70_000)))
        return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + more + stream.compress(data) + stream.flush() + bytes(8)
    return gzip.compress(data, 1)


# --- zip

FIELDS = {
    b"PK\3\4": ((4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)),
    b"PK\1\2": ((6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (38, 4), (42, 4)),
    b"PK\5\6": ((4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)),
}
"""Where the fields of each header are, and how long they are."""
METHODS = (zipfile.ZIP_DEFLATED,) * 6 + (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def strange_zip(rng: Random) -> bytes:
    """Return a zip archive that Python wrote, with some fields of its headers set to other numbers."""
    out = io.BytesIO()
    method = rng.choice(METHODS)
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method, compresslevel=1) as archive:
        warnings.simplefilter("ignore")  # names may be there twice
        for number in range(count(rng)):
            chosen = name(rng).encode("utf-8", "replace").decode()[:60_000] if number else "main.py"
            info = zipfile.ZipInfo(chosen or "x")
            info.compress_type = method
            mode = (
                rng.choice((0o100644, 0o100755, 0, 0o40755)) if rng.random() < 0.97 else rng.choice((0o120777, 0o10644))
            )
            info.external_attr = mode << 16
            if rng.random() < 0.1:
                info.extra = struct.pack("<HH", rng.choice((1, 0x7075, 0xFFFF)), rng.choice((0, 8, 24, 65_535)))
                info.extra += rng.randbytes(rng.choice((0, 8, 24)))
            archive.writestr(info, content(rng))
        archive.comment = rng.randbytes(rng.choice((0, 0, 0, 5, 60_000)))
    data = bytearray(out.getvalue())
    for _ in range(rng.choice((0, 0, 1, 2, 6))):
        set_field(data, rng)
    prefix = rng.randbytes(rng.choice((0, 0, 0, 0, 1, 5_000)))
    return prefix + bytes(data)


def set_field(data: bytearray, rng: Random) -> None:
    signature = rng.choice(list(FIELDS))
    places = []
    at = data.find(signature)
    while at >= 0:
        places.append(at)
        at = data.find(signature, at + 4)
    if places:
        start = rng.choice(places)
        offset, size = rng.choice(FIELDS[signature])
        number = rng.choice(NUMBERS) if rng.random() < 0.7 else data[min(start + offset, len(data) - 1)] + 1
        data[start + offset : start + offset + size] = (number % 256**size).to_bytes(size, "little")
