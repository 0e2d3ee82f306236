"""Test doubles of the providers: each speaks its provider's wire and judges every request.

What a judge asks for is read from the providers' published references, never from our adapters.
"""
