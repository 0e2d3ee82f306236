"""Which part of Pyodide's standard library the site ships to its workers.

The full library stays in `py/` for the playground's own Python. What is left out here is test
and debug tools, servers and old protocols, Windows and macOS parts, fallbacks of C modules, and
codecs that the browser's TextDecoder has.
"""

import ast
import zipfile
from pathlib import Path


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _names(
    """
    __hello__.py __phello__ _aix_support.py _android_support.py _apple_support.py _ios_support.py
    _osx_support.py _py_abc.py _pydatetime.py _pydecimal.py _pyio.py _pyrepl antigravity.py
    asyncio/__main__.py asyncio/graph_.py asyncio/proactor_events.py asyncio/tools.py
    asyncio/windows_events.py asyncio/windows_utils.py bdb.py bz2.py cProfile.py cmd.py code.py
    compileall.py compression/zstd concurrent/futures/process.py concurrent/interpreters
    configparser.py ctypes curses dbm doctest.py email/contentmanager.py email/mime
    email/policy.py email/headerregistry.py email/_header_value_parser.py ensurepip filecmp.py
    fileinput.py ftplib.py getopt.py getpass.py http/client.py http/cookiejar.py http/cookies.py
    http/server.py idlelib imaplib.py json/__main__.py json/tool.py lib-dynload lib2to3
    logging/config.py logging/handlers.py lzma.py mailbox.py modulefinder.py multiprocessing
    netrc.py nntplib.py nturl2path.py optparse.py pathlib/__main__.py pdb.py pickletools.py
    plistlib.py poplib.py profile.py profiling pstats.py pty.py py_compile.py pyclbr.py pydoc.py
    pydoc_data pyodide/_nodesock_transport.py pyodide/console.py rlcompleter.py sched.py shelve.py
    site-packages smtplib.py socketserver.py sqlite3 ssl.py sre_compile.py sre_constants.py
    sre_parse.py statistics.py symtable.py tabnanny.py tarfile.py this.py timeit.py tkinter tomllib
    trace.py tracemalloc.py tty.py turtle.py turtledemo unittest urllib/request.py
    urllib/robotparser.py venv wave.py webbrowser.py wsgiref xml xmlrpc zipapp.py
    zipfile/__main__.py
    """
)
_FROZEN = _names(
    """
    _collections_abc.py _sitebuiltins.py abc.py codecs.py genericpath.py importlib/_bootstrap.py
    importlib/_bootstrap_external.py importlib/machinery.py importlib/util.py io.py ntpath.py
    os.py posixpath.py runpy.py site.py stat.py zipimport.py
    """
)
"""These stand in the interpreter itself; it never reads their files."""
_WITH_HELPERS = _names("argparse.py gettext.py")
"""Only json_repair's command line imports these; they lie in its pack."""
_WITH_PACKAGES = _names("colorsys.py fractions.py zoneinfo")
"""Only pydantic imports these; they follow with it after the start."""
_CODECS = _names(
    """
    __init__ aliases ascii base64_codec charmap cp1252 cp437 hex_codec idna iso8859_1 latin_1
    punycode raw_unicode_escape undefined unicode_escape utf_16 utf_16_be utf_16_le utf_32
    utf_32_be utf_32_le utf_8 utf_8_sig
    """
)
_SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten.py"
_SYSCONFIG_KEYS = _names(
    """
    ABIFLAGS BINLIBDEST EXT_SUFFIX HOST_GNU_TYPE INCLUDEPY LDVERSION LIBDEST LIBDIR MACHDEP
    MULTIARCH Py_DEBUG Py_ENABLE_SHARED Py_GIL_DISABLED SHLIB_SUFFIX SOABI TZPATH VERSION
    exec_prefix prefix py_version_short srcdir
    """
)


def write_pruned(library: Path, target: Path) -> None:
    """Write the kept sources of Pyodide's `python_stdlib.zip` into `target`, by pack.

    What only third-party packages import goes to `helpers` and `packages`, the rest to `stdlib`.
    """
    with zipfile.ZipFile(library) as archive:
        for name in archive.namelist():
            if not name.endswith(".py") or not is_kept(name):
                continue
            source = archive.read(name)
            if name == _SYSCONFIG:
                source = _short_sysconfig(source.decode()).encode()
            file = target / _pack_of(name) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source)


def is_kept(name: str) -> bool:
    """Whether a file, named from the root of the library, belongs to what workers get."""
    if _is_in(name, _DROPPED | _FROZEN):
        return False
    folder, _, file = name.rpartition("/")
    return folder != "encodings" or file.removesuffix(".py") in _CODECS


def _pack_of(name: str) -> str:
    if _is_in(name, _WITH_HELPERS):
        return "helpers"
    return "packages" if _is_in(name, _WITH_PACKAGES) else "stdlib"


def _is_in(name: str, places: frozenset[str]) -> bool:
    parts = name.split("/")
    return any("/".join(parts[:count]) in places for count in range(1, len(parts) + 1))


def _short_sysconfig(source: str) -> str:
    """Keep the few build variables that sysconfig reads at run time, out of about 900."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            pairs = [
                (key, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value in _SYSCONFIG_KEYS
            ]
            node.keys, node.values = [key for key, _ in pairs], [value for _, value in pairs]
    return ast.unparse(tree)
