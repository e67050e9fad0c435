"""Open a page in the browser of the user."""

import os
import sys
import webbrowser


def show(url: str) -> None:
    """Open an address in the browser, if there is a screen. Without a screen, a text browser would fill the terminal.

    Assume a screen on Windows and macOS, and elsewhere if DISPLAY, WAYLAND_DISPLAY or BROWSER is set.
    """
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in screens):
        webbrowser.open(url)
