"""Skills: packaged instructions in the agentskills.io form, loaded when a task needs them."""
