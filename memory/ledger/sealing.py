"""Encryption at rest of what units say: Fernet (AES-128-CBC with HMAC-SHA256) around single values, off by default.

Sealed are summary, detail, claim, claim key, directive, provenance, embeddings and artifacts. In the clear stay what
the database filters on: owners, dataset keys, types, times, confidence, status, and the audit trail, which holds ids.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import JSON, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from memory.errors import MemoryError  # noqa: A004

_MARK = "\x1fsealed:"
_MARK_BYTES = b"\x1fsealed:"


def new_key() -> str:
    """A random key."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


class Cipher:
    """Seals and opens values with one key."""

    def __init__(self, key: str) -> None:
        """Take a Fernet key: 32 bytes in URL-safe base64. :raises MemoryError: it is no such key."""
        # Imported here, since most homes are not sealed.
        try:
            from cryptography.fernet import Fernet
        except ImportError as error:
            raise MemoryError(
                "A sealed memory needs cryptography; install recallyst with the extra `sealed`."
            ) from error
        try:
            self._fernet = Fernet(key.strip())
        except ValueError as error:
            raise MemoryError(
                "The key of memory is not usable: expected 32 bytes in URL-safe base64, as "
                "`recallyst memory key` prints them."
            ) from error
        self._secret = hashlib.sha256(b"recallyst identity\0" + key.strip().encode()).digest()

    @property
    def fingerprint(self) -> str:
        """Says whether a ledger was sealed with this key, and tells nothing of the key."""
        return self.digest("recallyst key")

    def digest(self, text: str) -> str:
        """A keyed hash, so that equal texts can be found without being readable."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def seal(self, value: bytes) -> bytes:
        """Encrypt and authenticate."""
        return self._fernet.encrypt(value)

    def unseal(self, token: bytes) -> bytes:
        """Decrypt. :raises MemoryError: another key sealed it, or it was changed."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(token)
        except InvalidToken as error:
            raise MemoryError("A sealed memory cannot be opened with this key.") from error


class Handover(Cipher):
    """Between two keys: seals with the new one, opens what either sealed."""

    def __init__(self, old: Cipher, new: Cipher) -> None:
        """Keep both."""
        self._old = old
        self._new = new

    def digest(self, text: str) -> str:
        """The hash under the new key."""
        return self._new.digest(text)

    def seal(self, value: bytes) -> bytes:
        """Encrypt with the new key."""
        return self._new.seal(value)

    def unseal(self, token: bytes) -> bytes:
        """Decrypt. :raises MemoryError: neither key sealed it."""
        try:
            return self._old.unseal(token)
        except MemoryError:
            return self._new.unseal(token)


_ciphers: "WeakKeyDictionary[Dialect, Cipher]" = WeakKeyDictionary()


def use_cipher(dialect: Dialect, cipher: Cipher) -> None:
    """Seal what is written through this dialect object, which belongs to one engine."""
    _ciphers[dialect] = cipher


def identity_hash(claim_key: str, cipher: Cipher | None) -> str:
    """What stands for a claim key in the unique index: short whatever the key, and unreadable in a sealed ledger."""
    if cipher is not None:
        return cipher.digest(claim_key)
    return hashlib.sha256(claim_key.encode("utf-8", "surrogatepass")).hexdigest()


def identity_hash_for(dialect: Dialect, claim_key: str) -> str:
    """`identity_hash` with the cipher of the engine."""
    return identity_hash(claim_key, _ciphers.get(dialect))


class SealedText(TypeDecorator[str]):
    """A text, encrypted where the engine has a cipher."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Seal."""
        cipher = _ciphers.get(dialect)
        if value is None or cipher is None:
            return value if value is None else value.lstrip("\x1f")
        return _MARK + cipher.seal(value.encode("utf-8", "surrogatepass")).decode()

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], str | None]:
        """Open; in one call a value, since every unit read has several."""

        def opened(value: str | None) -> str | None:
            if value is None or not value.startswith(_MARK):
                return value
            return _opener(dialect).unseal(value[len(_MARK) :].encode()).decode("utf-8", "surrogatepass")

        return opened


class SealedJSON(TypeDecorator[Any]):
    """A JSON document, encrypted where the engine has a cipher. None is NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Seal."""
        cipher = _ciphers.get(dialect)
        if value is None or cipher is None:
            return value
        return {_MARK: cipher.seal(json.dumps(value, ensure_ascii=True).encode()).decode()}

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Open; as `SealedText`."""
        decoded = self.impl_instance.result_processor(dialect, coltype)

        def opened(raw: Any) -> Any:
            if raw is None:
                return None
            value = raw if decoded is None else decoded(raw)
            if isinstance(value, dict) and value.keys() == {_MARK}:
                return json.loads(_opener(dialect).unseal(value[_MARK].encode()))
            return value

        return opened


class SealedBytes(TypeDecorator[bytes]):
    """Bytes, encrypted where the engine has a cipher."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Seal."""
        cipher = _ciphers.get(dialect)
        return value if value is None or cipher is None else _MARK_BYTES + cipher.seal(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:
        """Open."""
        if value is None:
            return None
        raw = bytes(value)
        return _opener(dialect).unseal(raw[len(_MARK_BYTES) :]) if raw.startswith(_MARK_BYTES) else raw


def _opener(dialect: Dialect) -> Cipher:
    cipher = _ciphers.get(dialect)
    if cipher is None:
        raise MemoryError("This memory is sealed; give its key in RECALLYST_KEY or RECALLYST_KEY_FILE.")
    return cipher
