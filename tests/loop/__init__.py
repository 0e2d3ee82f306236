"""The loop on scripted models: one set of scenarios, run on CPython and inside Pyodide."""
