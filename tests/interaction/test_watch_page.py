"""The page "Watch your own claims": does the line for a scheduled job mail the digest?

Here: that line, run with a stand-in for `mail`, on a log with an alarm and on one without.
Not here: running the rest of the page (tests/test_docs.py).
Sources: SEMANTICS R5 (a weekly digest can be sent).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "watch-your-own-claims.md").read_text("utf-8")


def test_r5_the_line_of_a_scheduled_job_mails_the_digest_when_a_person_should_look(
    tmp_path: Path,
) -> None:
    (line,) = [one for one in re.findall(r"(?s)```sh\n(.*?)```", PAGE) if "mail -s" in one]
    for name, body in (
        ("comity", (f"#!{sys.executable}\nimport sys\nfrom comity.cli.main import main\n"
                   "sys.exit(main())\n")),
        ("mail", "#!/bin/sh\ncat > mailed.txt\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(body, "utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("COMITY_")},
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
    }

    def run() -> str:
        subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, check=True, timeout=60)
        mailed = tmp_path / "mailed.txt"
        return mailed.read_text("utf-8") if mailed.exists() else ""

    (tmp_path / "claims.csv").write_text(
        "time,resource,agent,priority,won\n"
        "2026-06-01T09:00:00Z,gpu,A,1,yes\n2026-06-01T09:00:00Z,gpu,B,1,no\n"
        "2026-06-01T10:00:00Z,gpu,A,1,no\n2026-06-01T10:00:00Z,gpu,B,1,yes\n",
        "utf-8",
    )
    assert run() == "", "nothing is mailed while nothing is wrong"
    shutil.copy(ROOT / "examples" / "campaigns" / "claims.csv", tmp_path / "claims.csv")
    assert run().startswith("Week from ")
