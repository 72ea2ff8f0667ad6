"""How callers of the server show who they are: a signed token, or, on one's own machine only, nothing at all."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from graph.errors import SettingsError

SHORTEST_SECRET_BYTES = 32
HOW = (
    "set RECALLYST_JWT_SECRET or RECALLYST_JWKS together with RECALLYST_JWT_ISSUER and RECALLYST_JWT_AUDIENCE, or "
    "RECALLYST_AUTH=development to be the only user of a server on this machine"
)


@dataclass(frozen=True)
class SignIn:
    """What a token must fulfil; in `development` there is no token and every caller is the local principal."""

    mode: Literal["jwt", "development"]
    secret: str | None = None
    """Shared secret of HS256; None where keys come from `jwks`."""
    jwks: str | None = None
    """File or https address of the public keys; None where there is a secret."""
    issuer: str = ""
    audience: str = ""
    leeway_seconds: float = 30.0
    """How far clocks may differ."""
    org_claim: str = "org_id"
    """The claim that names the organisation."""


def parse_sign_in(env: Mapping[str, str]) -> SignIn:
    """Work out the sign-in from the variables of a server's process.

    :raises SettingsError: when nothing is set, when settings contradict each other, or when `development` is asked for
        on an address that other machines can reach, or that is unknown.
    """
    mode = env.get("RECALLYST_AUTH") or "jwt"
    secret, jwks = env.get("RECALLYST_JWT_SECRET") or None, env.get("RECALLYST_JWKS") or None
    if mode == "development":
        return _development(env, given=bool(secret or jwks))
    if mode != "jwt":
        raise SettingsError(f"RECALLYST_AUTH is {mode!r}, but jwt or development is expected")
    if bool(secret) == bool(jwks):
        what = "both RECALLYST_JWT_SECRET and RECALLYST_JWKS are set" if secret else "no sign-in is set up"
        raise SettingsError(f"{what}; {HOW}")
    if secret and len(secret.encode()) < SHORTEST_SECRET_BYTES:
        raise SettingsError(f"RECALLYST_JWT_SECRET is shorter than {SHORTEST_SECRET_BYTES} bytes; take a longer one")
    if jwks and "://" in jwks and not _trustworthy(jwks):
        raise SettingsError(f"RECALLYST_JWKS is {jwks!r}, but a file or an https address is expected")
    for variable in ("RECALLYST_JWT_ISSUER", "RECALLYST_JWT_AUDIENCE"):
        if not env.get(variable):
            raise SettingsError(f"{variable} is not set; a token of another service would be taken as ours without it")
    return SignIn(
        mode="jwt",
        secret=secret,
        jwks=jwks,
        issuer=env["RECALLYST_JWT_ISSUER"],
        audience=env["RECALLYST_JWT_AUDIENCE"],
        leeway_seconds=_leeway(env.get("RECALLYST_JWT_LEEWAY") or "30"),
        org_claim=env.get("RECALLYST_JWT_ORG_CLAIM") or "org_id",
    )


def is_loopback(host: str | None) -> bool:
    """Whether a host name or address stands for this machine and cannot be reached from another."""
    if not host:
        return False
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _development(env: Mapping[str, str], *, given: bool) -> SignIn:
    if given:
        raise SettingsError("RECALLYST_AUTH=development and keys for tokens are both set; unset one of them")
    address = env.get("LANGGRAPH_API_URL") or ""
    if not is_loopback(urlsplit(address).hostname):
        where = f"the server listens on {address!r}" if address else "the address that the server listens on is unknown"
        raise SettingsError(
            f"RECALLYST_AUTH=development lets every caller in, and {where}; listen on 127.0.0.1, or "
            "set RECALLYST_JWT_SECRET or RECALLYST_JWKS"
        )
    return SignIn(mode="development")


def _trustworthy(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))


def _leeway(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 300:
        raise SettingsError(f"RECALLYST_JWT_LEEWAY is {text!r}, but seconds between 0 and 300 are expected")
    return seconds
