"""What build_wheel.py drives: one module a job, or a part that jobs share.

`steps` and `environment` run on a bare Python; everything else runs in the virtual environment
that `environment` makes.
"""
