"""Tokens of callers: verified with PyJWT, turned into a principal, refused in one sentence."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import jwt

from graph.errors import SettingsError
from graph.sign_in import SignIn, is_loopback
from memory import Principal

PUBLIC_KEY_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
STUDIO_ORIGIN = "https://smith.langchain.com"
LONGEST_TOKEN = 8192
KEYS_COOLDOWN_SECONDS = 30
"""How long an address of keys that did not answer is left alone."""
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,255}")
"""Names end up in logs, in terminals and in the ledger."""


class Refused(Exception):
    """Who is asking could not be verified; the message says why, and nothing about the keys."""


class Door(Protocol):
    """Tells who is asking from the headers of a request (names in small letters)."""

    waits: bool
    """Whether it may have to fetch something first, and so has no place on an event loop."""

    def principal(self, headers: Mapping[str, str]) -> Principal:
        """Return who is asking. :raises Refused: when that is not proven."""
        ...


def open_door(sign_in: SignIn, local: Principal) -> Door:
    """Return the door that the settings ask for.

    :raises SettingsError: when a file of keys cannot be read.
    """
    return _OwnMachine(local) if sign_in.mode == "development" else _Tokens(sign_in)


async def identify(door: Door, headers: Mapping[str, str]) -> Principal:
    """Ask a door from an event loop without holding it up. :raises Refused: as the door does."""
    return await asyncio.to_thread(door.principal, headers) if door.waits else door.principal(headers)


class _OwnMachine:
    """Every caller on this machine is its user; pages of other sites in the user's browser are not."""

    waits = False

    def __init__(self, local: Principal) -> None:
        self._local = local

    def principal(self, headers: Mapping[str, str]) -> Principal:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not is_loopback(urlsplit(f"//{host}").hostname):
            raise Refused(f"the development server is asked as {host!r}; ask it as localhost")
        foreign = origin not in {None, STUDIO_ORIGIN} and urlsplit(origin or "").netloc != host
        if foreign or (origin is None and headers.get("sec-fetch-site") == "cross-site"):
            raise Refused("a page of another site asked the development server")
        return self._local


class _Tokens:
    """A bearer token in `Authorization`: signature, issuer, audience and time hold; `sub` and org are there."""

    def __init__(self, sign_in: SignIn) -> None:
        self._sign_in = sign_in
        self._keys = _Keys(sign_in.jwks) if sign_in.jwks else None
        self.waits = self._keys is not None and self._keys.remote

    def principal(self, headers: Mapping[str, str]) -> Principal:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Refused("no token was sent; send `Authorization: Bearer TOKEN`")
        if len(token) > LONGEST_TOKEN:
            raise Refused(f"the token is longer than {LONGEST_TOKEN} characters")
        claims = self._claims(token)
        org, sub = claims.get(self._sign_in.org_claim), claims["sub"]
        if not isinstance(org, str) or not org.strip():
            raise Refused(f"the token names no organisation (claim {self._sign_in.org_claim!r})")
        if not sub.strip():
            raise Refused("the token names no person (claim 'sub')")
        if not _NAME.fullmatch(org) or not _NAME.fullmatch(sub):
            raise Refused("the token's names are longer than 255 characters or hold characters that cannot be shown")
        return Principal(org_id=org, owner_sub=sub)

    def _claims(self, token: str) -> dict[str, Any]:
        wanted = self._sign_in
        try:
            key: Any = self._keys.of(token) if self._keys else wanted.secret
            return jwt.decode(
                token,
                key,
                algorithms=list(PUBLIC_KEY_ALGORITHMS) if self._keys else ["HS256"],
                audience=wanted.audience,
                issuer=wanted.issuer,
                leeway=wanted.leeway_seconds,
                options={"require": ["exp", "sub", "iss", "aud"]},
            )
        except jwt.ExpiredSignatureError as error:
            raise Refused("the token has expired; sign in again") from error
        except (jwt.PyJWTError, ValueError, OverflowError) as error:
            raise Refused("the token is not valid here") from error


class _Keys:
    """Public keys by their id: of an address, fetched again for a new id, or of a file, read again when it changes."""

    def __init__(self, source: str) -> None:
        self._remote = _Address(source) if "://" in source else None
        self._file = None if self._remote else Path(source).expanduser()
        self._read: tuple[int, jwt.PyJWKSet] | None = None
        if self._file:
            self._stored(self._file)

    @property
    def remote(self) -> bool:
        """Whether keys come from an address."""
        return self._remote is not None

    def of(self, token: str) -> jwt.PyJWK:
        """The key that the token names. :raises jwt.PyJWTError: when there is none."""
        if self._remote:
            return self._remote.get_signing_key_from_jwt(token)
        assert self._file is not None
        try:
            keys = self._stored(self._file).keys
        except SettingsError as error:
            # It was readable at the start; who is asking now cannot mend it.
            raise jwt.InvalidKeyError("the file of keys cannot be read") from error
        named = jwt.get_unverified_header(token).get("kid")
        if named is None and len(keys) == 1:
            return keys[0]
        for key in keys:
            if named is not None and key.key_id == named:
                return key
        raise jwt.InvalidKeyError("the token names no key of ours")

    def _stored(self, file: Path) -> jwt.PyJWKSet:
        try:
            changed = file.stat().st_mtime_ns
            if self._read is None or self._read[0] != changed:
                self._read = changed, jwt.PyJWKSet.from_json(file.read_text(encoding="utf-8"))
        except (OSError, jwt.PyJWTError, json.JSONDecodeError) as error:
            raise SettingsError(f"RECALLYST_JWKS is {str(file)!r}, but a JWKS file is expected ({error})") from error
        return self._read[1]


class _Address(jwt.PyJWKClient):
    """An address of keys. One that fails is left alone for a while, so that tokens with made-up ids cost nothing."""

    def __init__(self, source: str) -> None:
        super().__init__(source, timeout=5, lifespan=600)
        self._lock, self._failed_at = threading.Lock(), float("-inf")

    def fetch_data(self) -> Any:
        """Fetch the keys.

        :raises jwt.PyJWKClientConnectionError: when the address does not answer, or did not lately.
        """
        with self._lock:
            if time.monotonic() - self._failed_at < KEYS_COOLDOWN_SECONDS:
                raise jwt.PyJWKClientConnectionError("the address of the keys did not answer lately")
            try:
                return super().fetch_data()
            except jwt.PyJWKClientError:
                self._failed_at = time.monotonic()
                raise
