"""Fake programs: what do Claude Code, Codex and Gemini CLI print, and how do they fail?

Here: three small programs that call a model server as the real ones do, and leave what the real
ones leave: outputs, exit codes, processes.
Not here: the real ones (test_real_programs.py), the server (comity.testing.model_server).
Sources: Claude Code 2.1.332, Codex 0.163, Gemini CLI 0.61, as measured; standard library only.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit


def post(base: str, path: str, headers: dict[str, str], body: object) -> tuple[int, str]:
    """Return the status and the body of an answer; the status 0 when it breaks off."""
    parts = urlsplit(base)
    data = json.dumps(body).encode()
    lines = [f"POST {parts.path}{path} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close"]
    lines += [f"Content-Length: {len(data)}", *(f"{name}: {key}" for name, key in headers.items())]
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as link:
        link.sendall("\r\n".join([*lines, "", ""]).encode() + data)
        got = b"".join(iter(lambda: link.recv(65_536), b""))
    head, _, answer = got.partition(b"\r\n\r\n")
    told = re.search(rb"content-length: (\d+)", head.lower())
    if told is None or int(told[1]) != len(answer):
        return 0, ""
    return int(head.split()[1]), answer.decode()


def words_of(body: str) -> str:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError):
        return body


def need(arguments: list[str], *wanted: str) -> None:
    """End as a program does that is started in another way."""
    line = "\0".join(arguments)
    missing = [words for words in wanted if words not in line]
    there = [path.name for path in Path().iterdir()]
    if missing or there or os.environ.get("CLAUDECODE"):
        sys.stderr.write(f"error: lacks {missing}, or its folder holds {there}\n")
        sys.exit(2)


# --- Claude Code -----------------------------------------------------------------------------


def claude(arguments: list[str]) -> None:
    need(
        arguments, "-p\0--output-format\0json", "--tools\0\0", "--system-prompt\0You hold one seat"
    )
    key = os.environ.get("ANTHROPIC_API_KEY", "")
    if bool(key) != ("--bare" in arguments) or bool(key) == ("--safe-mode" in arguments):
        sys.exit(2)
    if not key:
        claude_says(is_error=True, result="Not logged in · Please run /login")
    status, body = post(
        os.environ["ANTHROPIC_BASE_URL"],
        "/v1/messages?beta=true",
        {"x-api-key": key},
        {"model": "fake", "messages": [{"role": "user", "content": sys.stdin.read()}]},
    )
    if status == 0:
        lost = "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary"
        claude_says(is_error=True, api_error="connection_failed", result=lost)
    if status != 200:
        claude_says(
            is_error=True, api_error_status=status, result=f"API Error: {status} {words_of(body)}"
        )
    told = json.loads(body)
    text, stop = told["content"][0].get("text", ""), told["stop_reason"]
    if stop == "refusal":
        flagged = "API Error: The model's safeguards flagged this message."
        claude_says(is_error=True, stop_reason=stop, terminal_reason="api_error", result=flagged)
    if stop == "max_tokens":
        long = "API Error: Claude's response exceeded the 128000 output token maximum."
        claude_says(is_error=True, terminal_reason="api_error", result=long)
    claude_says(
        is_error=False,
        stop_reason=stop,
        terminal_reason="completed",
        result=text,
        usage=told["usage"],
        total_cost_usd=0.0008,
    )


def claude_says(**told: object) -> None:
    """Print a result as Claude Code does: "success" whatever happened."""
    whole = {"type": "result", "subtype": "success", "api_error_status": None, **told}
    sys.stdout.write(json.dumps(whole) + "\n")
    sys.exit(1 if told["is_error"] else 0)


# --- Codex -----------------------------------------------------------------------------------


def codex(arguments: list[str]) -> None:
    need(arguments, "exec\0--json\0--skip-git-repo-check\0--ignore-user-config\0-s\0read-only")
    need(arguments, "features.shell_tool=false", "web_search=disabled", 'wire_api="responses"')
    found = re.search(r'base_url="([^"]+)",env_key="([^"]+)"', "\0".join(arguments))
    if found is None or arguments[-1] != "-":
        sys.exit(2)
    child = os.fork()  # as the wrapper does: the child talks to the server, and outlives a kill
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    key = os.environ[found[2]]
    said = {"model": "fake", "input": [{"role": "user", "content": sys.stdin.read()}]}
    codex_says("thread.started", thread_id="t")
    codex_says("turn.started")
    warning = {"type": "error", "message": "Model metadata for `fake` not found."}
    codex_says("item.completed", item=warning)
    status, body = post(found[1], "/responses", {"Authorization": f"Bearer {key}"}, said)
    if status != 200:
        codex_fails(codex_words(status, body))
    told = json.loads(body)
    text = told["output"][0]["content"][0]["text"]
    codex_says("item.completed", item={"type": "agent_message", "text": text})
    if told["status"] != "completed":
        reason = told["incomplete_details"]["reason"]
        codex_fails(f"Incomplete response returned, reason: {reason}")
    codex_says("turn.completed", usage=codex_usage(told["usage"]))
    sys.exit(0)


def codex_words(status: int, body: str) -> str:
    if status == 0:
        return "stream disconnected before completion: error decoding response body"
    if status == 400:
        return body
    if status == 429:
        return "exceeded retry limit, last status: 429 Too Many Requests"
    if status >= 500:
        return "We’re currently experiencing high demand, which may cause temporary errors."
    return f"unexpected status {status} Unauthorized: {words_of(body)}, url: http://127.0.0.1/"


def codex_usage(used: dict[str, int]) -> dict[str, int]:
    """Return what the thread has used so far; the threads are kept in its folder."""
    kept = Path(os.environ["CODEX_HOME"], "thread.json")
    before = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    names = ("input_tokens", "output_tokens")
    total = {name: before.get(name, 0) + used[name] for name in names}
    kept.write_text(json.dumps(total), "utf-8")
    return total


def codex_says(kind: str, **told: object) -> None:
    sys.stdout.write(json.dumps({"type": kind, **told}) + "\n")
    sys.stdout.flush()


def codex_fails(words: str) -> None:
    codex_says("error", message=words)
    codex_says("turn.failed", error={"message": words})
    sys.exit(1)


# --- Gemini CLI ------------------------------------------------------------------------------


def gemini(arguments: list[str]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the real one takes a minute
    need(arguments, "-o\0json\0-e\0none\0-m\0")
    settings = json.loads(
        Path(os.environ["GEMINI_CLI_HOME"], ".gemini", "settings.json").read_text("utf-8")
    )
    if settings["tools"] != {"core": []} or not Path(os.environ["GEMINI_SYSTEM_MD"]).exists():
        sys.exit(2)
    sys.stderr.write("Warning: 256-color support not detected.\n")
    status, body = post(
        os.environ["GOOGLE_GEMINI_BASE_URL"],
        f"/v1beta/models/{arguments[-1]}:generateContent",
        {"x-goog-api-key": os.environ["GEMINI_API_KEY"]},
        {"contents": [{"role": "user", "parts": [{"text": sys.stdin.read()}]}]},
    )
    if status != 200:
        error = {"message": body or "terminated", "code": status or 1}
        sys.stderr.write("Error when talking to Gemini API\n    at Models.generate {\n}\n")
        sys.stderr.write(json.dumps({"session_id": "s", "error": error}, indent=2) + "\n")
        sys.exit((status or 1) % 256)
    told = json.loads(body)
    text = told["candidates"][0]["content"]["parts"][0]["text"]
    for hook in settings["hooks"]["AfterModel"][0]["hooks"]:
        piece = json.dumps({"llm_response": told}, separators=(",", ":"))
        subprocess.run(["/bin/sh", "-c", hook["command"]], input=piece.encode(), check=True)
    used = told["usageMetadata"]
    tokens = {"prompt": used["promptTokenCount"], "candidates": used["candidatesTokenCount"]}
    stats = {"models": {arguments[-1]: {"tokens": {**tokens, "cached": 0, "thoughts": 0}}}}
    sys.stdout.write(json.dumps({"session_id": "s", "response": text, "stats": stats}, indent=2))
    sys.exit(0)
