"""Thinking: which model, which tools, when to go on and when to stop."""
