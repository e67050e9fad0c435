"""Who a model is, and what it may use: read from a TOML file and from environment variables, which come first.

    [aids]                                  # rules of the match, the same for all models
    actions = true

    [models.small]                          # llm:small
    base_url = "http://127.0.0.1:8080/v1"
    model = "smollm2"

The key of a provider is in an environment variable only. It is never written anywhere, and `Model.key` hides it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from arena.errors import ArenaError, ExitCode

FILE = "arena-llm.toml"
_ELSEWHERE = {"base_url", "key", "key_variable", "price_in", "price_out", "cost_limit", "tries", "pause", "silence"}
"""The settings that say where and how a model is reached, and not how it plays."""
_OWN = ("model", "stream", "stream_options", "messages", "input")
"""What `parameters` must not have, because the client itself writes it, and reads the answer accordingly."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Aids(_Table):
    """What helps models to answer. These are rules of the match: all models of a command have the same.

    Attributes:
        actions: Whether each prompt lists the legal actions.
        answer: What the provider is told about answers: nothing, a JSON schema of the legal actions, or a grammar
            of them, as llama.cpp reads it.
        board: Whether the position has the board, and how.
    """

    actions: bool = False
    answer: Literal["free", "schema", "grammar"] = "free"
    board: Literal["none", "sparse", "full"] = "none"


class Budgets(_Table):
    """How a player may answer, and what it may use.

    Attributes:
        answer_tokens: The limit of one answer, with its reasoning.
        truncated: How often a turn may have an answer that was cut off, before the player resigns.
        unreadable: How often a turn may have an answer without an action, before the player resigns.
        illegal: How often a turn may have an illegal action, before the player resigns.
        seconds_per_turn: The wall time of all answers of a turn. Failures of the provider do not count.
        price_in: The price of a million tokens of prompts, in any currency.
        price_out: The price of a million tokens of answers.
        cost_limit: No match begins, and none goes on, when the matches of this command have cost as much.
        tries: How often a request is repeated after a failure of the provider.
        pause: Seconds before the first repetition; each further pause is twice as long.
        instructions: A text of yours at the end of what is the same in all prompts.
        transcript: Whether prompts and answers are written into the replay.
    """

    answer_tokens: int = Field(default=2048, ge=1)
    requests_per_turn: int = Field(default=20, ge=1)
    requests_per_match: int = Field(default=5000, ge=1)
    tokens_per_turn: int = Field(default=200_000, ge=1)
    tokens_per_match: int = Field(default=20_000_000, ge=1)
    truncated: int = Field(default=1, ge=0)
    unreadable: int = Field(default=2, ge=0)
    illegal: int = Field(default=3, ge=0)
    seconds_per_turn: float = Field(default=600.0, gt=0)
    price_in: float = Field(default=0.0, ge=0)
    price_out: float = Field(default=0.0, ge=0)
    cost_limit: float | None = Field(default=None, ge=0)
    tries: int = Field(default=4, ge=0)
    pause: float = Field(default=2.0, ge=0)
    instructions: str = ""
    transcript: bool = True


class Model(Budgets):
    """A model, and how its provider is reached.

    Attributes:
        base_url: The address before ``/chat/completions`` or ``/responses``.
        model: The provider's name of the model.
        key_variable: The environment variable with the key.
        parameters: Further values for the body of each request.
        silence: Seconds without a token after which the provider has failed.
    """

    base_url: str
    model: str = Field(min_length=1)
    api: Literal["chat", "responses"] = "chat"
    key_variable: str = ""
    key: SecretStr = SecretStr("")
    temperature: float | None = None
    top_p: float | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    silence: float = Field(60.0, gt=0)

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        try:
            parts, host = urlsplit(url), httpx2.URL(url).host
            is_address = parts.scheme in ("http", "https") and parts.port != 0 and bool(host.encode("idna"))
        except (ValueError, httpx2.InvalidURL):
            is_address = False
        if not is_address or " " in url or "?" in url or "#" in url:
            raise ValueError("must be an address such as http://127.0.0.1:8080/v1, without spaces, ? and #")
        return url

    @field_validator("parameters")
    @classmethod
    def _no_own(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        if own := [name for name in _OWN if name in parameters]:
            raise ValueError(f"must not have {own[0]}")
        try:
            json.dumps(parameters, allow_nan=False)
        except TypeError:
            raise ValueError("must have no dates or times") from None
        return parameters

    def identity(self, aids: Aids) -> str:
        """Return a text that changes with every setting that changes how the model plays."""
        document = self.model_dump_json(exclude=_ELSEWHERE) + aids.model_dump_json()
        return f"llm:{hashlib.sha256(document.encode()).hexdigest()[:32]}"


def read_model(name: str, environment: Mapping[str, str] = os.environ) -> tuple[Model, Aids]:
    """Return the settings of a model and the aids of the match.

    Raises:
        ArenaError: There is no such model, or a setting is wrong.
    """
    path = Path(environment.get("ARENA_LLM_FILE", FILE))
    document = _document(path, required="ARENA_LLM_FILE" in environment)
    if unknown := document.keys() - {"aids", "models"}:
        raise _wrong(f"{path}: there is no setting {min(unknown)}.", f"Settings are under [aids] and [models.{name}].")
    values: Any = document.get("models", {})
    values = values.get(name, {}) if isinstance(values, dict) else None
    if not isinstance(values, dict):
        raise _wrong(f"{path}: models.{name} is not a table.")
    values = dict(values)
    prefix = f"ARENA_LLM_{re.sub(r'[^A-Z0-9]', '_', name.upper())}_"
    variable = str(values.get("key_variable") or f"{prefix}API_KEY")
    key = environment.get(variable, "")
    if url := environment.get(f"{prefix}BASE_URL"):
        values["base_url"] = url
    elif "base_url" not in values and (url := environment.get("OPENAI_BASE_URL")):
        # Only who gave this address has given this key with it: no other provider gets to see it.
        if not key:
            variable, key = "OPENAI_API_KEY", environment.get("OPENAI_API_KEY", "")
        values["base_url"] = url
    values["model"] = environment.get(f"{prefix}MODEL") or values.get("model") or name
    if "key" in values:
        raise _wrong(f"{path}: models.{name}.key must not be in a file.", "Name a variable with key_variable.")
    key = key.strip()  # of a file with a last line, for example
    if not (key.isascii() and key.isprintable()):
        raise _wrong(f"llm:{name}: the key in {variable} has a character that no key can have.", "Copy the key again.")
    if "base_url" not in values:
        raise _wrong(
            f"There is no model llm:{name}.",
            f"Write [models.{name}] with base_url and model into {path}, or set {prefix}BASE_URL.",
        )
    try:
        model, aids = Model(**values, key=SecretStr(key)), Aids(**document.get("aids", {}))
    except (ValidationError, TypeError) as error:
        hint = f"The settings are in {path}, and in variables whose names begin with {prefix}."
        raise _wrong(f"llm:{name}: {_reasons(error)}", hint) from None
    if model.api == "responses" and aids.answer == "grammar":
        raise _wrong(f'llm:{name}: api = "responses" has no grammars.', 'Set answer = "schema" under [aids].')
    return model, aids


def _document(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if required:
            raise _wrong(f"There is no {path}, which ARENA_LLM_FILE names.") from None
        return {}
    except (OSError, ValueError) as error:
        raise _wrong(f"{path} cannot be read: {error}.") from None


def _wrong(message: str, hint: str = "") -> ArenaError:
    return ArenaError(message, hint=hint, exit_code=ExitCode.BAD_BOT)


def _reasons(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "[aids] is not a table."
    reasons = [
        f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}"
        for one in error.errors(include_input=False)
    ]
    return "; ".join(reasons) + "."
