"""Who may come in is settled when the server starts, and every token is held to it."""

import asyncio
import base64
import hmac
import importlib
import json
import re
import sys
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from langgraph_sdk import Auth

from graph.errors import SettingsError
from graph.identity import UnverifiedCaller, principal_of_user, user_of_principal
from graph.limits import parse_limits
from graph.services import principal_folder
from graph.sign_in import SignIn, parse_sign_in
from graph.tokens import Refused, open_door
from memory import Principal

ANA = Principal(org_id="acme", owner_sub="ana")
SECRET = "x" * 32
TOKENS = {"RECALLYST_JWT_SECRET": SECRET, "RECALLYST_JWT_ISSUER": "i", "RECALLYST_JWT_AUDIENCE": "a"}


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({}, "no sign-in is set up"),
        ({"RECALLYST_AUTH": "none"}, "jwt or development is expected"),
        (TOKENS | {"RECALLYST_JWKS": "keys.json"}, "both"),
        (TOKENS | {"RECALLYST_JWT_SECRET": "short"}, "shorter than 32 bytes"),
        (TOKENS | {"RECALLYST_JWT_ISSUER": ""}, "RECALLYST_JWT_ISSUER is not set"),
        (TOKENS | {"RECALLYST_JWT_AUDIENCE": ""}, "RECALLYST_JWT_AUDIENCE is not set"),
        (TOKENS | {"RECALLYST_JWT_LEEWAY": "a day"}, "between 0 and 300"),
        (TOKENS | {"RECALLYST_JWT_SECRET": "", "RECALLYST_JWKS": "http://keys.example/jwks"}, "https"),
        (TOKENS | {"RECALLYST_AUTH": "development"}, "unset one of them"),
        ({"RECALLYST_AUTH": "development"}, "unknown"),
        ({"RECALLYST_AUTH": "development", "LANGGRAPH_API_URL": "http://0.0.0.0:2024"}, "listen on 127.0.0.1"),
        ({"RECALLYST_AUTH": "development", "LANGGRAPH_API_URL": "http://10.0.0.7:2024"}, "listen on 127.0.0.1"),
        ({"RECALLYST_AUTH": "development", "LANGGRAPH_API_URL": "https://127.0.0.1.evil.example"}, "listen on"),
    ],
)
def test_a_server_that_would_let_anyone_in_does_not_start(env: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        parse_sign_in(env)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_development_works_on_this_machine(host: str) -> None:
    env = {"RECALLYST_AUTH": "development", "LANGGRAPH_API_URL": f"http://{host}:2024"}
    assert parse_sign_in(env).mode == "development"


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({"host": "127.0.0.1:2024"}, True),
        ({"host": "localhost:2024", "origin": "http://localhost:2024"}, True),
        ({"host": "localhost:2024", "origin": "https://smith.langchain.com", "sec-fetch-site": "cross-site"}, True),
        ({"host": "localhost:2024", "origin": "https://evil.example"}, False),
        ({"host": "localhost:2024", "origin": "http://localhost:9999"}, False),
        ({"host": "localhost:2024", "origin": "null"}, False),
        ({"host": "localhost:2024", "sec-fetch-site": "cross-site"}, False),
        ({"host": "rebound.evil.example:2024"}, False),
        ({}, False),
    ],
)
def test_pages_of_other_sites_do_not_use_a_development_server(headers: dict[str, str], let_in: bool) -> None:
    door = open_door(SignIn(mode="development"), ANA)
    if let_in:
        assert door.principal(headers) == ANA
    else:
        with pytest.raises(Refused):
            door.principal(headers)


def _claims(**more: Any) -> dict[str, Any]:
    soon = datetime.now(UTC) + timedelta(minutes=5)
    return {"sub": "ana", "org_id": "acme", "iss": "i", "aud": "a", "exp": soon} | more


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_a_token_becomes_a_principal_within_the_leeway() -> None:
    door = open_door(parse_sign_in(TOKENS | {"RECALLYST_JWT_LEEWAY": "60", "RECALLYST_JWT_ORG_CLAIM": "tenant"}), ANA)
    late = datetime.now(UTC) - timedelta(seconds=30)
    token = jwt.encode(_claims(exp=late, tenant="lab"), SECRET, "HS256")
    assert door.principal(_bearer(token)) == Principal(org_id="lab", owner_sub="ana")
    with pytest.raises(Refused, match="expired"):
        door.principal(_bearer(jwt.encode(_claims(exp=late - timedelta(minutes=2), tenant="lab"), SECRET, "HS256")))


def test_keys_from_a_file_are_found_by_id_and_read_again_when_they_change(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    first, second = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())

    def publish(**keys: dict[str, Any]) -> None:
        file.write_text(json.dumps({"keys": [key | {"kid": kid, "use": "sig"} for kid, key in keys.items()]}))

    rsa_key = RSAAlgorithm.to_jwk(first.public_key(), as_dict=True) | {"alg": "RS256"}
    ec_key = ECAlgorithm.to_jwk(second.public_key(), as_dict=True) | {"alg": "ES256"}
    publish(one=rsa_key)
    env = {k: v for k, v in TOKENS.items() if k != "RECALLYST_JWT_SECRET"} | {"RECALLYST_JWKS": str(file)}
    door = open_door(parse_sign_in(env), ANA)
    assert door.principal(_bearer(jwt.encode(_claims(), first, "RS256", headers={"kid": "one"}))) == ANA
    later = _bearer(jwt.encode(_claims(), second, "ES256", headers={"kid": "two"}))
    with pytest.raises(Refused):
        door.principal(later)
    publish(one=rsa_key, two=ec_key)
    assert door.principal(later) == ANA


def test_a_public_key_is_no_shared_secret(tmp_path: Path) -> None:
    """The known confusion: HS256 signed with what everybody can read."""
    file = tmp_path / "keys.json"
    public = rsa.generate_private_key(65537, 2048).public_key()
    file.write_text(json.dumps({"keys": [RSAAlgorithm.to_jwk(public, as_dict=True) | {"kid": "one", "alg": "RS256"}]}))
    env = {k: v for k, v in TOKENS.items() if k != "RECALLYST_JWT_SECRET"} | {"RECALLYST_JWKS": str(file)}
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = jwt.encode(_claims(), SECRET, "HS256", headers={"kid": "one"}).rsplit(".", 1)[0]
    mac = hmac.digest(pem, signed.encode(), "sha256")
    forged = f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    with pytest.raises(Refused, match="not valid"):
        open_door(parse_sign_in(env), ANA).principal(_bearer(forged))


def test_an_address_of_keys_that_fails_is_left_alone_for_a_while() -> None:
    """Tokens with made-up key ids would else keep the server busy with an address that does not answer."""
    asked = []

    class Broken(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(500)

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/jwks"
        env = {k: v for k, v in TOKENS.items() if k != "RECALLYST_JWT_SECRET"} | {"RECALLYST_JWKS": address}
        door = open_door(parse_sign_in(env), ANA)
        assert door.waits
        key = ec.generate_private_key(ec.SECP256R1())
        for made_up in range(5):
            token = jwt.encode(_claims(), key, "ES256", headers={"kid": str(made_up)})
            with pytest.raises(Refused):
                door.principal(_bearer(token))
        server.shutdown()
    assert len(asked) == 1


def test_a_file_without_keys_is_told_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_text("{}")
    env = {k: v for k, v in TOKENS.items() if k != "RECALLYST_JWT_SECRET"} | {"RECALLYST_JWKS": str(file)}
    with pytest.raises(SettingsError, match="JWKS file is expected"):
        open_door(parse_sign_in(env), ANA)


def test_questions_that_come_by_a_schedule_have_a_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No guard sees them: the server asks by itself."""
    for variable, value in (TOKENS | {"RECALLYST_HOME": str(tmp_path), "RECALLYST_QUESTIONS_PER_MINUTE": "2"}).items():
        monkeypatch.setenv(variable, value)
    monkeypatch.delitem(sys.modules, "graph.auth", raising=False)
    served = importlib.import_module("graph.auth")
    monkeypatch.delitem(sys.modules, "graph.auth")

    def ask(who: Principal, configurable: dict[str, Any]) -> Any:
        ctx = SimpleNamespace(user=user_of_principal(who))
        return asyncio.run(served.ask_in_own_threads(ctx, {"kwargs": {"config": {"configurable": configurable}}}))

    ben = Principal(org_id="acme", owner_sub="ben")
    assert [ask(ANA, {"cron_id": "c"}) for _ in range(2)] == [{"org": "acme", "owner": "ana"}] * 2
    with pytest.raises(Auth.exceptions.HTTPException, match="scheduled"):
        ask(ANA, {"cron_id": "another"})
    assert ask(ANA, {})["owner"] == "ana"
    assert ask(ben, {"cron_id": "d"})["owner"] == "ben"


def test_only_a_verified_user_with_an_organisation_is_a_principal() -> None:
    assert principal_of_user(user_of_principal(ANA)) == ANA
    for user in ({"identity": "ana"}, {"identity": "", "org_id": "acme"}, {"identity": "ana", "org_id": 7}, object()):
        with pytest.raises(UnverifiedCaller):
            principal_of_user(user)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_a_limit_is_a_whole_number(value: str) -> None:
    with pytest.raises(SettingsError, match="RECALLYST_UPLOAD_MB"):
        parse_limits({"RECALLYST_UPLOAD_MB": value})


def test_no_two_principals_share_a_folder() -> None:
    pairs = [
        ("acme", "ana"),
        ("acm", "eana"),
        ("acme\x1fana", "x"),
        ("acme", "ana\x1fx"),
        ('a","b', "c"),
        ("a", 'b","c'),
    ]
    folders = {principal_folder(Principal(org_id=o, owner_sub=s)) for o, s in pairs}
    assert len(folders) == len(pairs)
    assert all(re.fullmatch(r"[0-9a-f]{32}", f) for f in folders)
