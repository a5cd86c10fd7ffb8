"""Who may do what: one answer for a text, a button and a command alike."""
