"""The server of a contest offers its own wheels, packed from what is installed."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from importlib import metadata

import pytest
from contests_toys import opened, write_config
from visitors import pages_of, visitor

from arena.web.contests.wheels import is_packable, name_of_wheel, needed, packed_wheel


@pytest.mark.process
def test_a_wheel_that_is_packed_again_works(tmp_path):
    wheel = packed_wheel(metadata.distribution("msgpack"))
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        archive.extractall(tmp_path)
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = [*csv.reader(archive.read(record).decode().splitlines())]
        for name, digest, size in rows[:-1]:
            data = archive.read(name)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert int(size) == len(data)
        assert {row[0] for row in rows} == {*archive.namelist()}
    script = "import msgpack; print(msgpack.__file__, msgpack.packb([1]))"
    command, environment = [sys.executable, "-S", "-c", script], {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path))


def test_names_have_all_tags_and_a_working_copy_is_left_out():
    assert name_of_wheel(metadata.distribution("click")).endswith("-py3-none-any.whl")
    assert name_of_wheel(metadata.distribution("markdown-it-py")).startswith("markdown_it_py-")
    names = {one.metadata["Name"].lower() for one in needed()}
    assert {"arena-referee", "numpy", "markupsafe", "msgpack"} <= names
    assert not is_packable(metadata.distribution("arena-referee"))


def test_the_page_has_own_and_brought_wheels(tmp_path):
    with opened(write_config(tmp_path)) as contest:
        (tmp_path / "wheels").mkdir()
        (tmp_path / "wheels" / "numpy-9-cp313-cp313-win_amd64.whl").write_bytes(b"for Windows")
        client = visitor(pages_of(contest)[1])
        page = client.get("/wheels/").text
        click = name_of_wheel(metadata.distribution("click"))
        assert f'<a href="/wheels/{click}">' in page
        assert "--find-links http://testserver/wheels/ --trusted-host testserver arena-all" in page
        assert client.get("/wheels/numpy-9-cp313-cp313-win_amd64.whl").content == b"for Windows"
        for _ in range(2):  # it is packed once
            assert zipfile.is_zipfile(io.BytesIO(client.get(f"/wheels/{click}").content))
        assert [path.name for path in (contest.folder / "wheels").iterdir()] == [click]
        assert client.get("/wheels/contest.toml").status_code == 404
