from tests.doubles.fake_openai import FakeOpenAI
from tests.models.chat_model_contract import ChatModelContract


class TestOpenAI(ChatModelContract):
    provider = "openai"
    double = FakeOpenAI
