"""Settings of one process. The environment is read here and nowhere else; explicit values win over it."""

import getpass
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from graph.errors import SettingsError
from graph.limits import Limits, parse_limits
from graph.sign_in import SignIn, parse_sign_in
from prompts import ModelSettings

__all__ = ["IndexEngine", "Settings", "SettingsError", "parse_time", "read_limits", "read_settings", "read_sign_in"]

IndexEngine = Literal["embedded", "server", "postgresql", "memory"]
"""Where the search index of memory can be."""


@dataclass(frozen=True)
class Settings:
    """Where things live and who is asking."""

    home: Path
    user: str
    org: str
    now: datetime | None = None
    database_url: str | None = None
    qdrant_url: str | None = None
    qdrant_api_key: str | None = field(default=None, repr=False)
    index: IndexEngine | None = None
    memory_key: str | None = field(default=None, repr=False)
    keep_closed_days: int | None = None
    keep_artifact_days: int | None = None
    keep_audit_days: int | None = None
    allow_paths: bool = True
    min_sightings: int = 2
    auto_threshold_0_1: float = 0.85
    model: ModelSettings = field(default_factory=ModelSettings)

    @property
    def clock(self) -> Callable[[], datetime]:
        """The one clock: fixed when RECALLYST_NOW is set, else the system's, always aware UTC."""
        fixed = self.now
        return (lambda: fixed) if fixed is not None else (lambda: datetime.now(UTC))


def read_settings(environ: Mapping[str, str] | None = None, *, allow_paths: bool = True) -> Settings:
    """Read the settings from the environment.

    :raises SettingsError: for a value that cannot be used.
    """
    env = os.environ if environ is None else environ
    return Settings(
        home=Path(env.get("RECALLYST_HOME") or "~/.recallyst").expanduser(),
        user=_name(env, "RECALLYST_USER") or _system_user(),
        org=_name(env, "RECALLYST_ORG") or "local",
        now=parse_time(env["RECALLYST_NOW"], "RECALLYST_NOW") if env.get("RECALLYST_NOW") else None,
        database_url=env.get("RECALLYST_DATABASE_URL") or None,
        qdrant_url=env.get("QDRANT_URL") or None,
        qdrant_api_key=env.get("QDRANT_API_KEY") or None,
        index=_index(env),
        memory_key=_key(env),
        keep_closed_days=_days(env, "RECALLYST_KEEP_CLOSED_DAYS"),
        keep_artifact_days=_days(env, "RECALLYST_KEEP_ARTIFACT_DAYS"),
        keep_audit_days=_days(env, "RECALLYST_KEEP_AUDIT_DAYS"),
        allow_paths=allow_paths,
        model=read_model_settings(env),
    )


def read_sign_in(environ: Mapping[str, str] | None = None, *, listens_on: str | None = None) -> SignIn:
    """Read how callers of the server show who they are; `listens_on` is its address where it is known already.

    :raises SettingsError: when nothing is set, or what is set would let anyone in.
    """
    env = os.environ if environ is None else environ
    return parse_sign_in({**env, "LANGGRAPH_API_URL": listens_on} if listens_on else env)


def read_limits(environ: Mapping[str, str] | None = None) -> Limits:
    """Read what one caller of the server may ask for.

    :raises SettingsError: for a value that cannot be used.
    """
    return parse_limits(os.environ if environ is None else environ)


def read_model_settings(env: Mapping[str, str]) -> ModelSettings:
    """Read the settings of the model. RECALLYST_MODEL alone turns it on: a key that lies about for others does not.

    :raises SettingsError: for a value that cannot be used, or a model without a key and without an endpoint.
    """
    name, base_url, key = (env.get(v) or None for v in ("RECALLYST_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"))
    if name and not base_url and not key:
        raise SettingsError(
            f"RECALLYST_MODEL is {name!r}, but there is neither OPENAI_API_KEY nor OPENAI_BASE_URL; set the key, or "
            "the address of an endpoint, or unset RECALLYST_MODEL to work without a model"
        )
    shares = env.get("RECALLYST_MODEL_SHARES") or "values"
    if shares not in {"values", "schema"}:
        raise SettingsError(
            f"RECALLYST_MODEL_SHARES is {shares!r}, but values or schema is expected; schema sends no cell value"
        )
    price = (env.get("RECALLYST_MODEL_PRICE") or "0,0").split(",")
    if len(price) != 2:
        raise SettingsError(
            f"RECALLYST_MODEL_PRICE is {env['RECALLYST_MODEL_PRICE']!r}, but two prices in USD per million tokens, in "
            "and out, such as 0.25,2 are expected"
        )
    default = ModelSettings()
    limit = env.get("RECALLYST_MODEL_TURN_USD")
    if limit and not env.get("RECALLYST_MODEL_PRICE"):
        raise SettingsError("RECALLYST_MODEL_TURN_USD needs RECALLYST_MODEL_PRICE, such as 0.25,2, to count with")
    return ModelSettings(
        name=name,
        base_url=base_url,
        api_key=key,
        shares="schema" if shares == "schema" else "values",
        timeout_s=_positive(env, "RECALLYST_MODEL_TIMEOUT", default.timeout_s),
        context_tokens=int(_positive(env, "RECALLYST_MODEL_CONTEXT", default.context_tokens, least=4_000)),
        output_tokens=int(_positive(env, "RECALLYST_MODEL_OUTPUT", default.output_tokens)),
        turn_tokens=int(_positive(env, "RECALLYST_MODEL_TURN_TOKENS", default.turn_tokens)),
        turn_usd=_positive(env, "RECALLYST_MODEL_TURN_USD", 0.0) if limit else None,
        price_in_usd=_number(price[0], "RECALLYST_MODEL_PRICE"),
        price_out_usd=_number(price[1], "RECALLYST_MODEL_PRICE"),
    )


def _positive(env: Mapping[str, str], variable: str, default: float, *, least: float = 0.0) -> float:
    if not env.get(variable):
        return default
    number = _number(env[variable], variable)
    if number <= 0 or number < least:
        wanted = f"a number of at least {least:g}" if least else "a number above 0"
        raise SettingsError(f"{variable} is {env[variable]!r}, but {wanted} is expected")
    return number


def _number(text: str, variable: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise SettingsError(f"{variable} is {text!r}, but a number is expected") from error
    if not 0 <= number < float("inf"):
        raise SettingsError(f"{variable} is {text!r}, but a number of 0 or more is expected")
    return number


def parse_time(text: str, variable: str) -> datetime:
    """Parse an ISO time to aware UTC; a time without a zone is UTC.

    :raises SettingsError: when the text is not an ISO time.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise SettingsError(
            f"{variable} is {text!r}, but an ISO time such as 2026-03-31T00:00:00Z is expected; correct or unset it"
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _name(env: Mapping[str, str], variable: str) -> str | None:
    value = env.get(variable)
    if value and not re.fullmatch(r"[^\x00-\x1f]{1,200}", value):
        raise SettingsError(f"{variable} is {value!r}, but a plain name of at most 200 characters is expected")
    return value or None


def _index(env: Mapping[str, str]) -> IndexEngine | None:
    value = env.get("RECALLYST_INDEX") or None
    for engine in get_args(IndexEngine):
        if value == engine:
            return engine  # type: ignore[no-any-return]
    if value is not None:
        raise SettingsError(
            f"RECALLYST_INDEX is {value!r}, but one of {', '.join(get_args(IndexEngine))} is expected; "
            "correct or unset it"
        )
    return None


def _key(env: Mapping[str, str]) -> str | None:
    path = env.get("RECALLYST_KEY_FILE")
    if env.get("RECALLYST_KEY") or not path:
        return env.get("RECALLYST_KEY") or None
    try:
        return Path(path).expanduser().read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"RECALLYST_KEY_FILE is {path!r}, which cannot be read ({error}); name a file that holds the key"
        ) from error


def _days(env: Mapping[str, str], variable: str) -> int | None:
    value = env.get(variable)
    if not value:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,5}", value):
        raise SettingsError(
            f"{variable} is {value!r}, but a number of days of at least 1 is expected; correct or unset it"
        )
    return int(value)


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
