"""The list of models that a key may use, by Anthropic's own client.

It is imported when a key is checked, in a thread, because that takes half a second; no
message of anybody goes through it.
"""

from anthropic import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncAnthropic,
    DefaultAsyncHttpxClient,
)

from bot.contracts.secret import Secret
from bot.net.api import Answer, Trouble, Unanswered, is_loopback, parsed, trouble_of


async def ask_for_models(base_url: str, key: Secret, seconds: float) -> Answer:
    """Ask once for the models, and return what was answered, whatever it is.

    Raises:
        Unanswered: nothing came back.
    """
    async with AsyncAnthropic(
        api_key=key.reveal(),
        base_url=base_url,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(
            # Proxies of the environment would carry even 127.0.0.1.
            trust_env=not is_loopback(base_url),
            follow_redirects=False,
            timeout=seconds,
        ),
    ) as sdk:
        try:
            # Unparsed: what is no API at all would be an error of the client's own.
            reply = await sdk.models.with_raw_response.list(limit=1000)
        except APIStatusError as error:
            return Answer(status=error.status_code, body=error.body)
        except APITimeoutError:
            raise Unanswered(Trouble.SLOW) from None
        except APIConnectionError as error:
            raise Unanswered(trouble_of(error)) from None
        return Answer(status=reply.status_code, body=parsed(await reply.read()))
