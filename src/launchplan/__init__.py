"""Check a vLLM or SGLang layout against the engine's own rules, then render its launch scripts."""

__version__ = "0.1.0"
