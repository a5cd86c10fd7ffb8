"""The doors to the platforms: one folder a channel."""
