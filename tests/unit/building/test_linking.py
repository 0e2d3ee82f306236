"""Files of the site get names that carry their content, and refer to each other by them."""

import pytest

from building.linking import Linker, asset_table
from building.steps import BuildError, digest

ENTRIES = frozenset({"index.html", "worker/agent.js"})


def hashed(path: str, data: bytes) -> str:
    stem, _, suffix = path.rpartition(".")
    return f"{stem}.{digest(data)[:12]}.{suffix}"


def linked(**files: str) -> dict[str, tuple[str, str]]:
    """Place text files, named with `__` for `/` and `_` for `.`; give (path, text) by name."""
    linker = Linker(ENTRIES)
    for name, text in files.items():
        path = name.replace("__", "/")
        stem, _, suffix = path.rpartition("_")
        linker.add(f"{stem}.{suffix}", text.encode(), text=True)
    placed = linker.place_all()
    return {name: (file.path, file.data.decode()) for name, file in placed.items()}


def test_a_reference_names_the_content_of_what_it_means() -> None:
    files = linked(worker__agent_js='import "./rpc.js";', worker__rpc_js="export {};")
    rpc = hashed("rpc.js", b"export {};")
    assert files["worker/rpc.js"][0] == f"worker/{rpc}"
    assert files["worker/agent.js"] == ("worker/agent.js", f'import "./{rpc}";')


def test_a_change_changes_the_names_of_all_that_refer_to_it() -> None:
    chain = {"a_js": 'import "./b.js"', "b_js": 'import "./c.js"'}
    before, after = (linked(**chain, c_js=text) for text in ("1", "2"))
    assert all(before[name][0] != after[name][0] for name in ("a.js", "b.js", "c.js"))


@pytest.mark.parametrize("reference", ["../../worker/rpc.js", "../worker/rpc.js"])
def test_the_page_may_speak_of_workers_as_in_the_tree_or_in_the_site(reference: str) -> None:
    files = linked(host__agent_js=f'import "{reference}";', worker__rpc_js="")
    assert files["host/agent.js"][1] == f'import "../worker/{hashed("rpc.js", b"")}";'


def test_entries_keep_their_names_and_may_refer_to_each_other() -> None:
    files = linked(index_html='<a href="./worker/agent.js">', worker__agent_js='"../index.html"')
    assert files["index.html"] == ("index.html", '<a href="./worker/agent.js">')
    assert files["worker/agent.js"][1] == '"../index.html"'


def test_what_is_no_file_of_the_site_stays() -> None:
    text = 'fetch("./elsewhere.json"); const up = "../";'
    assert linked(a_js=text)["a.js"][1] == text


def test_a_circle_is_refused() -> None:
    with pytest.raises(BuildError, match=r"a\.js → b\.js → a\.js"):
        linked(a_js='import "./b.js"', b_js='import "./a.js"')


def test_a_name_that_carries_its_content_already_stays() -> None:
    data = b"part"
    name = f"models/part.{digest(data)[:12]}.bin"
    linker = Linker(ENTRIES)
    linker.add(name, data)
    placed = linker.place_all()
    assert placed[name].path == name
    table = asset_table(placed, "worker")
    assert table[name] == {"url": f"../{name}", "bytes": 4, "sha256": digest(data)}
