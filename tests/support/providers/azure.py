"""How Azure OpenAI is addressed, on either of OpenAI's wires.

https://learn.microsoft.com/azure/ai-foundry/openai/reference-preview-latest and
https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

_DATED = re.compile(r"20\d\d-\d\d-\d\d(-preview)?")


def judge_azure(path: str, headers: Mapping[str, str], key: str, operation: str) -> list[str]:
    """Give what an address and its headers break. `operation` is "responses", for one."""
    parts = urlsplit(path)
    query = parse_qs(parts.query, keep_blank_values=True)
    version = query.pop("api-version", [""])[0]
    faults = [f"path: unknown query parameter {name}" for name in query]
    if parts.path == f"/openai/v1/{operation}":
        if version not in ("", "v1", "preview", "latest"):
            faults.append(f"path: api-version {version!r} does not go with the v1 address")
    elif re.fullmatch(_dated_path(operation), parts.path):
        if not _DATED.fullmatch(version):
            faults.append(f"path: needs a dated api-version, has {version!r}")
    else:
        faults.append(f"path: {parts.path} is no address of {operation}")
    given = headers.get("api-key"), headers.get("authorization")
    if given not in ((key, None), (None, f"Bearer {key}")):
        faults.append("api-key: not the key of this provider")
    return faults


def _dated_path(operation: str) -> str:
    """The address before v1: Responses has the model in the body, chat the deployment in front."""
    if operation == "responses":
        return r"/openai/responses"
    return rf"/openai/deployments/[A-Za-z0-9._-]+/{re.escape(operation)}"
