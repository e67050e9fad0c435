"""Who a model is: from a file, from the environment, and with a key that only its own provider sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena_agents.settings import read_model


def written(folder: Path, text: str) -> dict[str, str]:
    path = folder / "models.toml"
    path.write_text(text)
    return {"ARENA_LLM_FILE": str(path)}


def test_a_file_and_a_key_of_the_environment(tmp_path: Path) -> None:
    environment = written(
        tmp_path, '[aids]\nactions = true\n[models.a-1]\nbase_url = "http://h/v1"\nmodel = "x"\nkey_variable = "MINE"\n'
    )
    model, aids = read_model("a-1", environment | {"MINE": "secret"})
    assert (model.base_url, model.model, aids.actions) == ("http://h/v1", "x", True)
    assert model.key.get_secret_value() == "secret"
    assert "secret" not in repr(model)
    assert "secret" not in model.identity(aids)


def test_the_environment_comes_first(tmp_path: Path) -> None:
    environment = written(tmp_path, '[models.a-1]\nbase_url = "http://h/v1"\nmodel = "x"\n')
    own = {"ARENA_LLM_A_1_BASE_URL": "http://own", "ARENA_LLM_A_1_MODEL": "y", "ARENA_LLM_A_1_API_KEY": "k"}
    model, _ = read_model("a-1", environment | own)
    assert (model.base_url, model.model, model.key.get_secret_value()) == ("http://own", "y", "k")


def test_the_address_of_a_harness() -> None:
    environment = {"OPENAI_BASE_URL": "http://harness/v1", "OPENAI_API_KEY": "theirs"}
    model, _ = read_model("gpt", environment)
    assert (model.base_url, model.model, model.key.get_secret_value()) == ("http://harness/v1", "gpt", "theirs")


@pytest.mark.parametrize("end", ["\r\n", "\n", " ", "\t"])
def test_a_key_has_no_blanks_around_it(end: str) -> None:
    environment = {"OPENAI_BASE_URL": "http://harness/v1", "OPENAI_API_KEY": f" sk-1{end}"}
    assert read_model("gpt", environment)[0].key.get_secret_value() == "sk-1"


@pytest.mark.parametrize("key", ["sk\r\nx: y", "sk\x00", "schlüssel", "\udcff"])
@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "ARENA_LLM_GPT_API_KEY"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(variable: str, key: str) -> None:
    with pytest.raises(ArenaError, match=f"the key in {variable} has a character") as raised:
        read_model("gpt", {"OPENAI_BASE_URL": "http://harness/v1", variable: key})
    assert raised.value.exit_code == 5
    assert key not in raised.value.message


def test_no_other_provider_sees_the_key_of_a_harness() -> None:
    environment = {"OPENAI_BASE_URL": "http://harness", "OPENAI_API_KEY": "k", "ARENA_LLM_GPT_BASE_URL": "http://own"}
    assert read_model("gpt", environment)[0].key.get_secret_value() == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "There is no model llm:a"),
        ('[models.a]\nbase_url = "ftp://h"\n', "base_url"),
        ('[models.a]\nbase_url = "http://h"\ntemprature = 1\n', "temprature"),
        ('[models.a]\nbase_url = "http://h"\nkey = "k"\n', "must not be in a file"),
        ('[models.a]\nbase_url = "http://h"\napi = "responses"\n[aids]\nanswer = "grammar"\n', "no grammars"),
        ('[models.a]\nbase_url = "http://h"\n[aids]\nhints = true\n', "hints"),
        ("[models", "cannot be read"),
        ("aids = 1\n[models.a]\nbase_url = 'http://h'\n", "aids"),
        ("[aids]\nactions = 'yes'\n[models.a]\nbase_url = 'http://h'\n", "actions"),
        ("[aid]\nactions = true\n[models.a]\nbase_url = 'http://h'\n", "no setting aid"),
        ("[models]\na = 1\n", "models.a is not a table"),
        ("[models.a]\nbase_url = 'http://h'\nprice_in = inf\n", "price_in"),
        ("[models.a]\nbase_url = 'http://h'\nparameters = { stream = false }\n", "must not have stream"),
        ("[models.a]\nbase_url = 'http://h'\nparameters = { since = 1979-05-27 }\n", "no dates"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ArenaError, match=reason) as raised:
        read_model("a", written(tmp_path, text))
    assert raised.value.exit_code == 5


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://", "http://:80/v1", "http://h:99999/v1", "http://h:x/v1", "http://a b/v1", "http://h/v 1",
     "http://h\n/v1", "http://h/v1?x=1", "http://h/v1#x", "ftp://h/v1", "h/v1", "http://..", "http://1.2.3.999", ""],
)  # fmt: skip
def test_an_address_that_cannot_be_reached_is_refused_before_a_match(url: str) -> None:
    with pytest.raises(ArenaError) as raised:
        read_model("a", {"ARENA_LLM_A_BASE_URL": url or " "})
    message = "llm:a: base_url: must be an address such as http://127.0.0.1:8080/v1, without spaces, ? and #."
    assert (raised.value.message, raised.value.exit_code) == (message, 5)


@pytest.mark.parametrize("url", ["http://[::1]:80/v1", "https://ü.de/v1/", "HTTP://h", "http://user:pass@h:1/a%20b"])
def test_addresses(url: str) -> None:
    assert read_model("a", {"ARENA_LLM_A_BASE_URL": url})[0].base_url == url


def test_the_identity_changes_with_what_changes_the_play(tmp_path: Path) -> None:
    def identity(lines: str, aids: str = "") -> str:
        text = f'[aids]\n{aids}\n[models.a]\nbase_url = "http://h"\n{lines}\n'
        return (model := read_model("a", written(tmp_path, text)))[0].identity(model[1])

    assert identity("cost_limit = 3.0") == identity("")
    assert len({identity(""), identity("temperature = 1.0"), identity("", "actions = true")}) == 3
