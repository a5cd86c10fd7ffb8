from tests.doubles.fake_anthropic import FakeAnthropic
from tests.models.chat_model_contract import ChatModelContract


class TestAnthropic(ChatModelContract):
    provider = "anthropic"
    double = FakeAnthropic
