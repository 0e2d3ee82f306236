"""The agent: plan, execute, re-plan, synthesize. One file a stage, `run` holds the loop."""
