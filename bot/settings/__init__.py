"""The settings: from `config.yaml`, `.env` and the environment to frozen, checked values."""

from bot.settings import alone as alone
from bot.settings.home import home_folder, open_home, shipped
from bot.settings.load import load_settings, read_settings, remember_good
from bot.settings.models import ModelSettings
from bot.settings.reading import SettingsBroken
from bot.settings.root import Settings

__all__ = [
    "ModelSettings",
    "Settings",
    "SettingsBroken",
    "home_folder",
    "load_settings",
    "open_home",
    "read_settings",
    "remember_good",
    "shipped",
]
