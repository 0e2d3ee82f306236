"""Google's sign-in of the machine, against a scripted server through httpx2."""

import asyncio
import base64
import json
import subprocess
import sys
import threading
import traceback
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand import errors
from pagehand.platform.google_adc import GoogleCredentials, GoogleToken, adc_token
from pagehand.platform.native import NativeHttp
from pagehand.testing import InstantClock

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
START = InstantClock().now()
SECRET = "GOCSPX-canary-client-secret"
REFRESH = "1//canary-refresh-token"
TOKEN = "ya29.canary-access-token"
USER = {
    "type": "authorized_user",
    "client_id": "id.apps.googleusercontent.com",
    "client_secret": SECRET,
    "refresh_token": REFRESH,
    "quota_project_id": "of-the-file",
}
ENVIRONMENT = (
    "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "APPDATA", "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT", "GCE_METADATA_HOST", "GCE_METADATA_TIMEOUT", "NO_GCE_CHECK",
)  # fmt: skip


class Google:
    """A server that answers each request with the next of its script: status, value, headers.

    A value of None is held back until the client goes or the server ends.
    """

    def __init__(self, *script):
        self.script = list(script)
        self.asked = []
        self.holding = threading.Event()
        self._closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                size = int(self.headers.get("content-length", 0))
                body = self.rfile.read(size).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append((self.path, headers, body))
                status, value, more = (*server.script.pop(0), {})[:3]
                if value is None:
                    server.holding.set()
                    server._closing.wait()
                    return
                data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
                self.send_response(status)
                for name, told in {"content-length": str(len(data)), **more}.items():
                    self.send_header(name, told)
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def host(self):
        return f"127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class Rerouted:
    """The platform's HTTP, with https addresses led to the scripted server."""

    def __init__(self, google):
        self.urls = []
        self._google = google
        self._http = NativeHttp()

    async def send(self, request):
        self.urls.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme == "https":
            request = replace(request, url=f"http://{self._google.host}{parts.path}")
        return await self._http.send(request)

    async def aclose(self):
        await self._http.aclose()


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    """No credentials of the machine that runs the tests, and no metadata server."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")


@pytest.fixture(scope="session")
def key():
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def service_account(key):
    return {
        "type": "service_account",
        "project_id": "of-the-account",
        "private_key_id": "k1",
        "private_key": pem(key),
        "client_email": "me@of-the-account.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }


def written(tmp_path, info, name="adc.json"):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(info if isinstance(info, str) else json.dumps(info), "utf-8")
    return str(file)


def granted(token=TOKEN, seconds=3_599):
    return 200, {"access_token": token, "expires_in": seconds, "token_type": "Bearer"}


async def fetched(google, path=None, clock=None):
    http = Rerouted(google)
    try:
        return await adc_token(http, clock or InstantClock(), path), http.urls
    finally:
        await http.aclose()


async def refusal(path, *script, kind=errors.ConfigError):
    """Give the words of the fault that a file ends in, after making sure that it hides secrets."""
    with Google(*script) as google, pytest.raises(kind) as raised:
        await fetched(google, path)
    fault = raised.value
    shown = "".join(traceback.format_exception(fault)) + repr(fault) + str(fault.to_dict())
    for secret in (SECRET, REFRESH, TOKEN, "PRIVATE KEY", "eyJ"):
        assert secret not in shown
    return str(fault)


# The kinds of credentials


async def test_a_user(tmp_path):
    with Google(granted()) as google:
        token, urls = await fetched(google, written(tmp_path, USER))
    assert (token.token.reveal(), token.expires_at) == (TOKEN, START + 3_599)
    assert token.project == "of-the-file"
    assert urls == ["https://oauth2.googleapis.com/token"]
    [(_, headers, body)] = google.asked
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(body) == {
        "grant_type": ["refresh_token"],
        "client_id": [USER["client_id"]],
        "client_secret": [SECRET],
        "refresh_token": [REFRESH],
    }
    assert TOKEN not in repr(token) and isinstance(token, GoogleToken)


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


async def test_a_service_account(tmp_path, key):
    info = {**service_account(key), "token_uri": "https://sign.test/in"}
    with Google(granted(seconds="1800")) as google:
        token, urls = await fetched(google, written(tmp_path, info))
    assert (token.expires_at, token.project) == (START + 1_800, "of-the-account")
    assert urls == ["https://sign.test/in"]
    form = parse_qs(google.asked[0][2])
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    [assertion] = form["assertion"]
    head, claims, signature = assertion.split(".")
    key.public_key().verify(
        decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256()
    )
    assert json.loads(decoded(head)) == {"alg": "RS256", "typ": "JWT", "kid": "k1"}
    assert json.loads(decoded(claims)) == {
        "iss": info["client_email"],
        "scope": SCOPE,
        "aud": "https://sign.test/in",
        "iat": int(START),
        "exp": int(START) + 3_600,
    }


IMPERSONATED = {
    "type": "impersonated_service_account",
    "service_account_impersonation_url": "https://iam.test/v1/x:generateAccessToken",
    "delegates": ["d"],
    "source_credentials": USER,
    "quota_project_id": "of-the-other",
}


async def test_an_impersonated_service_account(tmp_path):
    answer = {"accessToken": "ya29.other", "expireTime": "2025-01-01T00:30:00.5Z"}
    with Google(granted(), (200, answer)) as google:
        token, urls = await fetched(google, written(tmp_path, IMPERSONATED))
    assert urls[1] == IMPERSONATED["service_account_impersonation_url"]
    assert (token.token.reveal(), token.expires_at) == ("ya29.other", START + 1_800.5)
    assert token.project == "of-the-other"
    path, headers, body = google.asked[1]
    assert path == "/v1/x:generateAccessToken"
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert json.loads(body) == {"delegates": ["d"], "scope": [SCOPE], "lifetime": "3600s"}


async def test_an_impersonated_account_whose_end_is_not_told(tmp_path):
    with Google(granted(), (200, {"accessToken": "a", "expireTime": 5})) as google:
        token, _ = await fetched(google, written(tmp_path, IMPERSONATED))
    assert token.expires_at == START + 3_600


@pytest.mark.parametrize("name", ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"])
async def test_the_environment_names_the_project(tmp_path, monkeypatch, name):
    monkeypatch.setenv(name, "of-the-environment")
    with Google(granted()) as google:
        token, _ = await fetched(google, written(tmp_path, USER))
    assert token.project == "of-the-environment"


@pytest.mark.parametrize(
    "kind", ["external_account", "external_account_authorized_user", "gdch_service_account", None]
)
async def test_kinds_that_are_not_supported(tmp_path, kind):
    told = await refusal(written(tmp_path, {"type": kind, "client_secret": SECRET}))
    assert repr(kind) in told and "give an access token yourself" in told


# Where they are looked for


async def test_the_order_of_the_search(tmp_path, monkeypatch):
    places = {
        "path": written(tmp_path, {**USER, "quota_project_id": "path"}, "path.json"),
        "env": written(tmp_path, {**USER, "quota_project_id": "env"}, "env.json"),
    }
    for folder in ("config", "home/.config/gcloud", "windows/gcloud"):
        name = f"{folder}/application_default_credentials.json"
        places[folder] = written(tmp_path, {**USER, "quota_project_id": folder}, name)
    with Google(*[granted()] * 5) as google:
        found = [(await fetched(google))[0].project]
        with monkeypatch.context() as changed:
            changed.setattr(sys, "platform", "win32")
            changed.setenv("APPDATA", str(tmp_path / "windows"))
            found.append((await fetched(google))[0].project)
        monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "config"))
        found.append((await fetched(google))[0].project)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", places["env"])
        found.append((await fetched(google))[0].project)
        found.append((await fetched(google, places["path"]))[0].project)
    assert found == ["home/.config/gcloud", "windows/gcloud", "config", "env", "path"]


async def test_a_named_file_that_is_not_there(tmp_path, monkeypatch):
    missing = str(tmp_path / "missing.json")
    assert missing in await refusal(missing)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", missing)
    assert "GOOGLE_APPLICATION_CREDENTIALS" in await refusal(None)


async def test_no_credentials_at_all():
    assert "gcloud auth application-default login" in await refusal(None)


FLAVOR = {"Metadata-Flavor": "Google"}


@pytest.fixture
def at_google(monkeypatch):
    """Look for the metadata server at a scripted one."""

    def at(google):
        monkeypatch.delenv("NO_GCE_CHECK")
        monkeypatch.setenv("GCE_METADATA_HOST", google.host)

    return at


async def test_a_machine_at_google(at_google):
    with Google((*granted(), FLAVOR), (200, "its-project", FLAVOR)) as google:
        at_google(google)
        token, _ = await fetched(google)
    assert (token.token.reveal(), token.project) == (TOKEN, "its-project")
    assert token.expires_at == START + 3_599
    root = "/computeMetadata/v1"
    assert [path for path, _, _ in google.asked] == [
        f"{root}/instance/service-accounts/default/token",
        f"{root}/project/project-id",
    ]
    assert {headers["metadata-flavor"] for _, headers, _ in google.asked} == {"Google"}


@pytest.mark.parametrize(
    "script",
    [
        [(404, "no", FLAVOR)],
        [granted(), (200, "its-project")],  # some other server under that name
        [(200, "<html>", FLAVOR), (404, "", FLAVOR)],
        [(200, {"access_token": ""}, FLAVOR), (404, "", FLAVOR)],
    ],
)
async def test_what_is_no_metadata_server(at_google, script):
    with Google(*script) as google:
        at_google(google)
        with pytest.raises(errors.ConfigError, match="No Google credentials were found"):
            await fetched(google)
    assert len(google.asked) == (2 if FLAVOR in script[0] and script[0][0] == 200 else 1)


async def test_a_metadata_server_that_does_not_answer(at_google, monkeypatch):
    with Google((200, None)) as google:
        at_google(google)
        monkeypatch.setenv("GCE_METADATA_TIMEOUT", "0.2")
        with pytest.raises(errors.ConfigError, match="No Google credentials were found"):
            await fetched(google)
        assert google.holding.wait(5)
    with pytest.raises(errors.ConfigError, match="No Google credentials were found"):
        await fetched(google)  # nobody is there any more


# What is wrong with a file


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ("", "no JSON object"),
        ("[1]", "no JSON object"),
        (f'{{"type": "authorized_user", "refresh_token": "{REFRESH}"', "no JSON object"),
        *(
            ({key: value for key, value in USER.items() if key != name}, f"lacks '{name}'")
            for name in ("client_id", "client_secret", "refresh_token")
        ),
        ({**USER, "client_id": 5}, "lacks 'client_id'"),
        *(
            ({**USER, "token_uri": url}, "'token_uri' must be an https:// address")
            for url in ("http://oauth2.googleapis.com/token", "https://", "ftp://x.test", "https://[")
        ),
        ({**USER, "token_uri": ""}, "lacks 'token_uri'"),
        ({**IMPERSONATED, "source_credentials": None}, "lacks 'source_credentials'"),
        (
            {**IMPERSONATED, "service_account_impersonation_url": "http://iam.test/x"},
            "'service_account_impersonation_url' must be an https:// address",
        ),
        ({**IMPERSONATED, "source_credentials": {"type": "external_account"}}, "external_account"),
    ],
)  # fmt: skip
async def test_a_broken_file(tmp_path, contents, words):
    path = written(tmp_path, contents)
    told = await refusal(path)
    assert words in told and path in told


async def test_a_file_that_is_no_text(tmp_path):
    file = tmp_path / "adc.json"
    file.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in await refusal(str(file))


async def test_a_broken_key(tmp_path, key):
    info = service_account(key)
    other = pem(ec.generate_private_key(ec.SECP256R1()))
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for broken in (info["private_key"][:300], "rubbish", other, public.decode()):
        told = await refusal(written(tmp_path, {**info, "private_key": broken}))
        assert "'private_key' is no RSA key in PEM form" in told
    told = await refusal(written(tmp_path, {**info, "token_uri": "http://x.test"}))
    assert "'token_uri' must be an https:// address" in told


async def test_without_the_package_that_signs(tmp_path, key, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    told = await refusal(written(tmp_path, service_account(key)))
    assert "`cryptography`" in told and "extra `vertex`" in told


def test_the_package_that_signs_is_imported_only_when_needed():
    program = "import sys, pagehand.platform.google_adc; print('cryptography' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert run.stdout.strip() == b"False"


FIELDS = [*USER, *IMPERSONATED, "private_key", "client_email", "token_uri", "project_id"]
KINDS = ["authorized_user", "service_account", "impersonated_service_account", "", None]
VALUES = st.none() | st.integers() | st.text(max_size=9) | st.just("https://x.test/y")


class Deaf:
    """An Http behind which nobody is."""

    async def send(self, request):
        raise errors.NetworkError("nobody is there")


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(FIELDS), VALUES),
    st.sampled_from(KINDS),
    st.none() | st.dictionaries(st.sampled_from(FIELDS), VALUES),
)
async def test_any_file_is_one_clear_fault(tmp_path_factory, info, kind, source):
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_text(json.dumps({**info, "type": kind, "source_credentials": source}), "utf-8")
    with pytest.raises((errors.ConfigError, errors.NetworkError)):
        await adc_token(Deaf(), InstantClock(), str(file))


# What Google says


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            (400, {"error": "invalid_grant", "error_description": "Token has been revoked."}),
            errors.AuthenticationError,
            "oauth2.googleapis.com answered 400: invalid_grant: Token has been revoked. Sign in",
        ),
        (
            (401, {"error": "invalid_client", "error_description": f"{SECRET} and {REFRESH}"}),
            errors.AuthenticationError,
            "invalid_client: *** and ***",
        ),
        ((403, "<html>no</html>"), errors.AuthenticationError, "answered 403. Sign in"),
        ((429, {"error": {"message": "slow down"}}), errors.ServerError, "429: slow down. Try"),
        ((503, "later"), errors.ServerError, "answered 503. Try again"),
        ((200, {"expires_in": 5}), errors.MalformedResponseError, "gave no token"),
        ((200, {"access_token": 5}), errors.MalformedResponseError, "gave no token"),
        ((200, "<html>hello</html>"), errors.MalformedResponseError, "gave no token"),
    ],
)
async def test_refusals(tmp_path, answer, kind, words):
    assert words in await refusal(written(tmp_path, USER), answer, kind=kind)


async def test_refusals_of_a_signed_grant_and_of_impersonation(tmp_path, key):
    path = written(tmp_path, service_account(key))
    with Google((400, {"error": "x"})) as google, pytest.raises(errors.AuthenticationError):
        await fetched(google, path)
    [assertion] = parse_qs(google.asked[0][2])["assertion"]
    # The clock stands still, so the next grant is signed alike.
    echo = (400, {"error": "invalid_grant", "error_description": assertion})
    assert "***" in await refusal(path, echo, kind=errors.AuthenticationError)
    path = written(tmp_path, IMPERSONATED)
    echo = (403, {"error": {"code": 403, "message": f"Not for {TOKEN}."}})
    told = await refusal(path, granted(), echo, kind=errors.AuthenticationError)
    assert "iam.test answered 403: Not for ***. Sign in" in told
    empty = (200, {"accessToken": ""})
    await refusal(path, granted(), empty, kind=errors.MalformedResponseError)


async def test_a_dead_endpoint(tmp_path):
    with Google() as google:
        pass
    with pytest.raises(errors.NetworkError, match="could not be reached"):
        await fetched(google, written(tmp_path, USER))


# Kept until a minute before the end


async def test_one_refresh_for_many(tmp_path):
    clock = InstantClock()
    with Google(granted(), granted("two")) as google:
        http = Rerouted(google)
        credentials = GoogleCredentials(http, clock, written(tmp_path, USER))
        tokens = await asyncio.gather(*(credentials.token() for _ in range(20)))
        assert {token.reveal() for token in tokens} == {TOKEN} and len(google.asked) == 1
        await clock.sleep(3_538)
        assert (await credentials.token()).reveal() == TOKEN
        assert await credentials.project() == "of-the-file"
        assert TOKEN not in repr(vars(credentials))
        await clock.sleep(1)
        assert (await credentials.token()).reveal() == "two"
        assert len(google.asked) == 2
        await http.aclose()


async def test_a_failed_refresh_is_not_kept(tmp_path):
    with Google((503, "later"), granted("two")) as google:
        http = Rerouted(google)
        credentials = GoogleCredentials(http, InstantClock(), written(tmp_path, USER))
        with pytest.raises(errors.ServerError) as raised:
            await credentials.token()
        assert raised.value.retryable
        assert (await credentials.token()).reveal() == "two"
        await http.aclose()


async def test_who_leaves_does_not_take_the_others_along(tmp_path):
    with Google((200, None), granted("two")) as google:
        http = Rerouted(google)
        credentials = GoogleCredentials(http, InstantClock(), written(tmp_path, USER))
        first, second = (asyncio.create_task(credentials.token()) for _ in range(2))
        await asyncio.to_thread(google.holding.wait, 5)
        first.cancel()
        assert (await second).reveal() == "two"
        with pytest.raises(asyncio.CancelledError):
            await first
        await http.aclose()


def test_one_event_loop_after_another(tmp_path):
    """As `run_sync` has it: each run brings a loop of its own."""
    clock = InstantClock()
    with Google(granted("one"), granted("two")) as google:
        http = Rerouted(google)
        credentials = GoogleCredentials(http, clock, written(tmp_path, USER))

        async def both():
            tokens = await asyncio.gather(credentials.token(), credentials.token())
            await clock.sleep(3_600)
            await http.aclose()
            return [token.reveal() for token in tokens]

        assert asyncio.run(both()) == ["one", "one"]
        assert asyncio.run(both()) == ["two", "two"]
