"""The demo: answers offline, by plain rules, and says that it is no language model."""

from bot.contracts.model import ProviderSpec
from bot.models.demo.client import DemoModel

PROVIDER = ProviderSpec(name="demo", open=lambda _parts: DemoModel())
