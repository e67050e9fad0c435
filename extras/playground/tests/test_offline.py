"""The playground opens without a network, after a first visit."""

from __future__ import annotations

import functools
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from visit import Noting, Playground


def test_after_a_first_visit_the_server_can_be_gone(browser: Any, folder: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Noting, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    context = browser.new_context()
    try:
        page = Playground(context.new_page()).open(f"{address}#game=saloon")
        page.until("navigator.serviceWorker.ready.then(() => true)")
        page.until("navigator.serviceWorker.controller !== null")
    finally:
        server.shutdown()
        server.server_close()
    page.page.goto("about:blank")
    page.open(f"{address}#game=saloon")
    assert page.run().startswith("my_bot wins"), page.output
    page.page.reload()
    page.page.wait_for_selector("html[data-ready=true]")
    assert page.run().startswith("my_bot wins"), page.output
    context.close()
