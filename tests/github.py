"""The runner of GitHub's actions, as far as ours needs one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.terminal import LONGEST_WAIT

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def in_shell(script: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """As the runners of GitHub do."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        env={**os.environ, "PATH": PATH, **OFFLINE, **more},
    )


OFFLINE = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_QUIET": "1"}
"""pip builds and installs for real, but downloads nothing; for it 0 means that there is no isolation."""
GH = """#!/bin/sh
[ "$2" = view ] && exec cat "$GH_OLDER"
printf "%s\\n" "$@" > "$GH_SAID"
for word; do case $word in *comment.md) cat "${word#body=@}" >> "$GH_SAID" ;; esac; done
"""
"""What a comment would be; the address of an older one is in a file."""


class Runner:
    """Carries out the steps of the action that are scripts; those of others are only looked at."""

    def __init__(self, repository: Path, skip: str = "", **inputs: str) -> None:
        self.repository, self.skip = repository, skip
        self.temp = repository.parent / "temp"
        (self.temp / "bin").mkdir(parents=True)
        (self.temp / "bin" / "gh").write_text(GH, encoding="utf-8")
        (self.temp / "bin" / "gh").chmod(0o755)
        (self.temp / "older").touch()
        defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
        self.context = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()} | {
            "github.action_path": str(ROOT),
            "github.base_ref": "main",
            "github.event.number": "7",
            "github.repository": "me/bots",
        }
        self.codes: dict[str, int] = {}

    def run(self) -> int:
        """The exit code of the first step that fails; after it only those are carried out that always are."""
        code = 0
        for step in ACTION["runs"]["steps"]:
            condition = step.get("if", "true")
            if "run" not in step or step["name"] == self.skip or (code and "always()" not in condition):
                continue
            if self.evaluated(condition) in ("", "False"):
                continue
            done = self.step(step)
            self.codes[step["name"]] = done.returncode
            code = code or (0 if step.get("continue-on-error") else done.returncode)
        return code

    def step(self, step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        output = self.temp / "output"
        output.write_text("", encoding="utf-8")
        setting = {
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_SHA": "c0ffee",
            "RUNNER_TEMP": str(self.temp),
            "GH_SAID": str(self.temp / "comment"),
            "GH_OLDER": str(self.temp / "older"),
            "PIP_TARGET": str(self.temp / "installed"),
            "PATH": f"{self.temp / 'bin'}{os.pathsep}{PATH}",
        }
        env = {name: self.evaluated(value) for name, value in step.get("env", {}).items()}
        done = in_shell(step["run"], self.repository, **{**setting, **env})
        for line in output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.context[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def evaluated(self, text: str) -> str:
        """The few expressions that the action uses: names, `always()`, `||`, `&&`, `==`."""

        def value(expression: re.Match[str]) -> str:
            python = re.sub(
                r"[a-z]+(\.[\w-]+)+", lambda name: repr(self.context.get(name[0], "")), expression[1]
            )
            words = {"||": " or ", "&&": " and ", "always()": "True"}
            return str(eval(re.sub(r"\|\||&&|always\(\)", lambda word: words[word[0]], python)))

        return re.sub(r"\$\{\{ (.+?) \}\}", value, text)

    def page(self, name: str) -> str:
        return (self.repository / "dalang-compare" / name).read_text(encoding="utf-8")

    def said(self) -> str:
        """To the pull request."""
        return (self.temp / "comment").read_text(encoding="utf-8")
