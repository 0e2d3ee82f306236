"""AWS Signature Version 4 against the signatures of AWS's own test suite.

Source: aws-c-auth, tests/aws-signing-test-suite/v4 (requests and their signatures).
"""

import pytest

from pagehand.models.sigv4 import sign_v4

ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
NOON = 1_440_938_160.0  # 2015-08-30T12:36:00Z
HOST = "https://example.amazonaws.com"
UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def sign(method="GET", path="/", headers=None, body=b"", *, host=HOST, token=None, **more):
    options = {
        "region": "us-east-1",
        "service": "service",
        "access_key_id": ACCESS_KEY,
        "secret_access_key": SECRET_KEY,
        "session_token": token,
        "now": NOON,
    }
    return sign_v4(method, host + path, headers or {}, body, **(options | more))


def signature(*args, **options):
    return sign(*args, **options)["authorization"].rpartition("Signature=")[2]


FORM_BODY = b"Param1=value1"


def form(parameter=""):
    """Headers of the vectors that sign the body's digest as a header too."""
    kind = "application/x-www-form-urlencoded" + (f"; {parameter}" if parameter else "")
    digest = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"
    return {"content-type": kind, "content-length": "13", "x-amz-content-sha256": digest}


VECTORS = {
    "get-header-key-duplicate": (
        ("GET", "/", {"my-header1": "value2,value2,value1"}),
        "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    ),
    "get-header-value-multiline": (
        ("GET", "/", {"my-header1": "value1\n  value2\n     value3"}),
        "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd",
    ),
    "get-header-value-order": (
        ("GET", "/", {"my-header1": "value4,value1,value3,value2"}),
        "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
    ),
    "get-header-value-trim": (
        ("GET", "/", {"my-header1": "value1", "my-header2": '"a   b   c"'}),
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "get-relative-normalized": (
        ("GET", "/example/.."),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-relative-relative-normalized": (
        ("GET", "/example1/example2/../.."),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-slash-dot-slash-normalized": (
        ("GET", "/./"),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-slash-normalized": (
        ("GET", "//"),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-slash-pointless-dot-normalized": (
        ("GET", "/./example"),
        "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5",
    ),
    "get-slashes-normalized": (
        ("GET", "//example//"),
        "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    ),
    "get-space-normalized": (
        ("GET", "/example space/"),
        "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
    ),
    "get-unreserved": (
        ("GET", f"/{UNRESERVED}"),
        "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ),
    "get-utf8": (
        ("GET", "/ሴ"),
        "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    ),
    "get-vanilla": (
        ("GET", "/"),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-vanilla-empty-query-key": (
        ("GET", "/?Param1=value1"),
        "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
    ),
    "get-vanilla-query": (
        ("GET", "/"),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-vanilla-query-order-encoded": (
        ("GET", "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1"),
        "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
    ),
    "get-vanilla-query-order-key-case": (
        ("GET", "/?Param2=value2&Param1=value1"),
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-vanilla-query-unreserved": (
        ("GET", f"/?{UNRESERVED}={UNRESERVED}"),
        "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ),
    "get-vanilla-utf8-query": (
        ("GET", "/?ሴ=bar"),
        "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ),
    "post-header-key-case": (
        ("POST", "/"),
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ),
    "post-header-key-sort": (
        ("POST", "/", {"my-header1": "value1"}),
        "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ),
    "post-header-value-case": (
        ("POST", "/", {"my-header1": "VALUE1"}),
        "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    ),
    "post-vanilla": (
        ("POST", "/"),
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ),
    "post-vanilla-empty-query-value": (
        ("POST", "/?Param1=value1"),
        "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
    ),
    "post-vanilla-query": (
        ("POST", "/?Param1=value1"),
        "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
    ),
    "post-x-www-form-urlencoded": (
        ("POST", "/", form(), FORM_BODY),
        "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
    ),
    "post-x-www-form-urlencoded-parameters": (
        ("POST", "/", form("charset=utf-8"), FORM_BODY),
        "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_published_signatures(name):
    arguments, expected = VECTORS[name]
    assert signature(*arguments) == expected


STS_TOKEN = (
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
    "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
    "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlz"
    "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)


def test_a_session_token_is_signed_and_sent():
    added = sign("POST", token=STS_TOKEN)
    assert added == {
        "x-amz-date": "20150830T123600Z",
        "x-amz-security-token": STS_TOKEN,
        "authorization": "AWS4-HMAC-SHA256 "
        "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-security-token, "
        "Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    }


def test_without_a_token_there_is_no_such_header():
    assert set(sign()) == {"x-amz-date", "authorization"}


def test_what_may_change_on_the_way_is_not_signed():
    plain = sign(headers={"content-type": "application/json"})
    more = {"User-Agent": "pagehand", "Connection": "keep-alive", "Authorization": "Bearer x"}
    assert sign(headers={"content-type": "application/json", **more}) == plain


@pytest.mark.parametrize(
    "change",
    [
        {"body": b"{}"},
        {"headers": {"content-type": "application/json"}},
        {"path": "/model/a%3A0/converse"},
        {"region": "eu-west-1"},
        {"service": "bedrock"},
        {"secret_access_key": "another"},
        {"session_token": "token"},
        {"now": NOON + 1},
        {"host": "https://example.amazonaws.com:8443"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_everything_else_is_signed(change):
    assert signature("POST", **change) != signature("POST")


def test_the_port_of_the_scheme_is_not_part_of_the_host():
    assert signature(host=HOST + ":443") == signature()
    assert signature(host="http://example.amazonaws.com:80") == signature()


def test_a_model_id_keeps_its_encoded_colon():
    """Each sign of the address counts as it stands there: `%3A` is encoded once more."""
    encoded = signature("POST", "/model/amazon.nova-lite-v1%3A0/converse")
    assert encoded != signature("POST", "/model/amazon.nova-lite-v1:0/converse")


def test_the_secret_is_in_nothing_that_is_added():
    assert SECRET_KEY not in str(sign(token=STS_TOKEN))
