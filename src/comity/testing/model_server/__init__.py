"""Fake model server: can a council be tested without a network, a key and a bill?

Here: a server on loopback that answers Claude Code, Codex, Gemini CLI and any client of an
OpenAI-compatible model by a script, and keeps what it was asked.
Not here: agents for tests in the same process (testing/agents.py).
Sources: the formats of Anthropic, OpenAI and Google.
"""

from comity.testing.model_server.connection import Asked
from comity.testing.model_server.script import Script, Turn, read_script
from comity.testing.model_server.server import ModelServer

__all__ = ["Asked", "ModelServer", "Script", "Turn", "read_script"]
