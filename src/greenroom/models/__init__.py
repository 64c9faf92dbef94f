"""Every LLM call: one protocol, a thin OpenAI-compatible client, pydantic-ai for the rest, `script:` and `replay:`."""
