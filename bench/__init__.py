"""Measures the bot beside a bare relay that does the same outside work: `script/bench`."""
