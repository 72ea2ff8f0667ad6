"""The client of the configured model."""

from langchain_core.language_models.chat_models import BaseChatModel

from prompts.settings import ModelSettings

OPENAI = "https://api.openai.com/v1"


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
        # Always told: without one the client looks for other variables, and may find a gateway that nobody chose here.
        base_url=settings.base_url or OPENAI,
        # OpenAI has models that speak the newer protocol alone; other endpoints may not know it, whatever the name.
        use_responses_api=False if settings.base_url else None,
        api_key=SecretStr(settings.api_key or "none"),
        timeout=settings.timeout_s,
        max_retries=0,
        max_completion_tokens=settings.output_tokens,
        stream_usage=True,
    )
