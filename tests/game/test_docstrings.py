"""The parts of a docstring."""

from arena.game.sources import parse_docstring

WHOLE = """Move one cell.

    It takes one move.

    Args:
        direction: Where to go; one of
            four directions.
        far: Whether to run.

    Returns:
        note: Nothing of it is an argument.
    """


def test_the_text_ends_at_the_first_section_and_the_arguments_at_the_next() -> None:
    found = parse_docstring(WHOLE)
    assert found.text == "Move one cell.\n\n    It takes one move."
    assert found.arguments == {"direction": "Where to go; one of four directions.", "far": "Whether to run."}


def test_a_docstring_without_sections() -> None:
    assert parse_docstring("Shoot. Args: none.") == ("Shoot. Args: none.", {})
    assert parse_docstring("") == ("", {})
