"""The playground opens without a network, after a first visit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from visit import Playground, served


@pytest.mark.kill  # one more playground and Python
def test_after_a_first_visit_the_server_can_be_gone(browser: Any, folder: Path) -> None:
    context = browser.new_context()
    with served(folder) as address:
        page = Playground(context.new_page()).open(f"{address}#game=saloon")
        page.until("navigator.serviceWorker.ready.then(() => true)")
        page.until("navigator.serviceWorker.controller !== null")
    page.page.goto("about:blank")
    page.open(f"{address}#game=saloon")
    assert page.run().startswith("my_bot wins"), page.output
    page.page.reload()
    page.page.wait_for_selector("html[data-ready=true]")
    assert page.run().startswith("my_bot wins"), page.output
    context.close()
