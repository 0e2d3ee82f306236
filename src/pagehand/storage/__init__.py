"""What outlives a run: sessions now; the vault, files and half-finished runs join them here.

Everything stands on ports; no file here knows where the bytes end up.
"""
