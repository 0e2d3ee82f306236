"""The only importers of `js`, `pyodide`, `httpx2`, `sqlite3` and threads: what ports stand on.

`native` is CPython, `browser` is Pyodide, `worker` serves a page over RPC.
"""
