"""Models: the one seam to them, and a file for each wire they speak.

A model knows no tools and no agent: it is asked with a `ModelRequest` and answers with typed
parts. What a family of models can do stands as data in `profiles`, what a provider is in
`registry`.
"""
