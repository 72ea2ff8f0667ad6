"""The client of the configured model."""

from langchain_core.language_models.chat_models import BaseChatModel

from prompts.settings import ModelSettings


def open_model(settings: ModelSettings) -> BaseChatModel | None:
    """Return a client for OpenAI or any endpoint that speaks its protocol, or None where no model is named.

    Reaches nothing. Retries are left to `ask`, which counts them.
    """
    if settings.name is None:
        return None
    # Imported here: it takes a second, and most processes ask no model.
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(
        model=settings.name,
        base_url=settings.base_url,
        api_key=SecretStr(settings.api_key or "none"),
        timeout=settings.timeout_s,
        max_retries=0,
        max_completion_tokens=settings.output_tokens,
        stream_usage=True,
    )
