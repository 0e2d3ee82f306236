"""Tools: what they are, how a model's wish becomes a call, and the rounds of asking and calling.

Tools know models (they are offered to one) and know no agent.
"""
