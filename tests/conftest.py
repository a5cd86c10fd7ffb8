"""What every test stands on: a busy machine is no reason for a property to fail."""

from hypothesis import settings

settings.register_profile("stonechat", deadline=None)
settings.load_profile("stonechat")
