"""The bot's one HTTP server; channels mount their routes in it."""
