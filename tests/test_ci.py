"""Comparisons in CI: a candidate that fails is told of on every page, and the action and its relatives run for real."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import xmlschema
import yaml

from dalang.harness.compare.failure import FAILED, UNFINISHED, Failure
from dalang.harness.compare.verdict import FAULTY
from tests.github import ACTION, ROOT, Runner, in_shell
from tests.leftovers import gone
from tests.terminal import LONGEST_WAIT

CI = ROOT / "examples" / "ci"
SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "junit.xsd")
WORKFLOW = yaml.safe_load((CI / "compare.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((CI / "gitlab-ci.yml").read_text(encoding="utf-8"))

OLD = "### good: of an older comparison"
HOSTILE = """
import sys
from dalang.kit import run

def choose(request):
    print("```\\n</details>\\n\\x1b[2J# not yours", file=sys.stderr)
    raise KeyError("loot")

run(choose, name="hostile")
"""


# ---- Pages of what fails


class Told:
    """A comparison in a folder in which an older one has left its pages."""

    def __init__(self, folder: Path, candidate: str, baseline: str = "random", *more: str) -> None:
        self.junit, self.markdown = folder / "junit.xml", folder / "comment.md"
        for path in (self.junit, self.markdown):
            path.write_text(OLD, encoding="utf-8")
        files = ["--junit", str(self.junit), "--markdown", str(self.markdown)]
        terms = ["--max-blocks", "4", "--seed", "1", "--no-clock", "--jobs", "1", *files, *more]
        self.command = [sys.executable, "-m", "dalang", "compare", "kali", candidate, baseline, *terms]
        self.folder = folder

    def run(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command, capture_output=True, text=True, timeout=LONGEST_WAIT, cwd=self.folder
        )

    def pages(self) -> list[str]:
        assert list(SCHEMA.iter_errors(str(self.junit))) == []
        pages = [path.read_text(encoding="utf-8") for path in (self.junit, self.markdown)]
        assert OLD not in "".join(pages)
        return pages


def folder_with(folder: Path, build: str = "", **files: str) -> str:
    folder.mkdir()
    lines = ['command = "python bot.py"', f'build = "{build}"' if build else ""]
    (folder / "bot.toml").write_text("\n".join(lines), encoding="utf-8")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.slow
def test_a_crash_is_told_with_its_traceback_and_its_command_on_every_page(tmp_path: Path) -> None:
    told = Told(tmp_path, folder_with(tmp_path / "hostile", bot=HOSTILE))
    screen, data = (
        told.run(),
        subprocess.run([*told.command, "--json"], capture_output=True, timeout=LONGEST_WAIT),
    )
    assert (screen.returncode, data.returncode) == (4, 4)
    junit, markdown = told.pages()
    for page in (screen.stdout, junit, markdown):
        assert page.count("KeyError: 'loot'") == (2 if page is junit else 1), (
            "once, or in both cases of JUnit"
        )
        assert re.search(r"crash at decision \d+, its question 1: ended with exit code 1", page)
        assert "dalang match kali " in page and "·[2J" in page and "\x1b" not in page
    code = markdown[markdown.index("```sh") : markdown.rindex("```")].splitlines()[1:]
    assert all(line.startswith(("# ", "#   stderr: ", "dalang match ")) for line in code if line)
    first = json.loads(data.stdout)["faulty"][0]
    assert first["moment"].startswith("at decision") and first["detail"] == "ended with exit code 1"
    assert "\x1b[2J# not yours" in first["stderr"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "text", "reason"),
    [
        ("", "raise SystemExit('no weights.bin')", "cannot be started: instead of a hello: ended with exit code 1"),
        ("sh -c 'echo no such header; exit 3'", "", "cannot be built; `sh -c 'echo no such header; exit 3'` fails"),
    ],
)  # fmt: skip
def test_a_candidate_that_cannot_start_or_be_built_is_faulty_on_every_page(
    build: str, text: str, reason: str, tmp_path: Path
) -> None:
    told = Told(tmp_path, folder_with(tmp_path / "mine", build, bot=text), "random", "--json")
    done = told.run()
    assert done.returncode == 4, done.stderr
    data = json.loads(done.stdout)
    assert data["verdict"] == "faulty" and reason in data["reason"]
    junit, markdown = told.pages()
    assert markdown.startswith("### faulty: the candidate cannot be built or started")
    for page in (junit.replace("&apos;", "'"), markdown):
        assert reason in page and ("no weights.bin" in page or "no such header" in page)
        assert "dalang compare kali" in page
    assert '<testcase classname="' in junit and "<failure" in junit


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--db", "no.db"], ["--seats", "9"], ["--sprt", "x"]])
def test_whatever_else_is_wrong_is_an_error_and_on_the_pages(more: list[str], tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("no database", encoding="utf-8")
    told = Told(tmp_path, "first", "random", *more)
    done = told.run()
    assert (done.returncode, done.stdout) == (2, "")
    reason = done.stderr.removeprefix("dalang: ").strip()
    junit, markdown = told.pages()
    assert markdown.startswith("### failed: ") and reason in markdown and 'failures="1"' in junit


@pytest.mark.slow
def test_a_baseline_that_cannot_start_is_no_fault_of_the_candidate(tmp_path: Path) -> None:
    told = Told(tmp_path, "first", folder_with(tmp_path / "old", bot="raise SystemExit('gone')"))
    assert told.run().returncode == 2
    assert told.pages()[1].startswith("### failed: there is nothing to compare")


WAITS = """
from pathlib import Path
from dalang.kit import run

def choose(request):
    Path({pipe!r}).write_text("asked")
    return 0

run(choose, name="waits")
"""


@pytest.mark.slow
def test_one_that_was_killed_has_pages_that_say_so(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    mark = f"killed-{os.getpid()}"
    bot = folder_with(tmp_path / "mine", bot=WAITS.format(pipe=str(pipe)))
    told = Told(tmp_path, bot, "random", "--isolate", "none", "--max-blocks", "100000")
    with (
        os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as asked,
        subprocess.Popen(
            told.command, stderr=subprocess.DEVNULL, env={**os.environ, "LC_MARK": mark}
        ) as process,
    ):
        assert select.select([asked], [], [], LONGEST_WAIT)[0], "nobody was asked"
        process.send_signal(signal.SIGKILL)
    assert gone(mark)
    assert told.pages()[1].startswith("### unfinished: ")


@pytest.mark.parametrize("verdict", [FAULTY, FAILED, UNFINISHED])
def test_no_word_of_a_failure_is_markup(verdict: str) -> None:
    failure = Failure(verdict, "x ```\n```\n<b>\x1b[2J", "kali", "`a`", "@b", "dalang compare kali '```' @b")
    page = failure.markdown()
    assert "\x1b" not in page
    assert all(line.startswith(("### ", "kali: ", "    ")) for line in page.splitlines() if line)
    assert list(SCHEMA.iter_errors(failure.junit())) == []


# ---- A repository with a pull request


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone on a branch whose bot is better than that of main, as examples/ci has them."""
    work, origin = tmp_path / "work", tmp_path / "origin"
    bot = work / "examples" / "ci" / "bot"
    shutil.copytree(CI / "bot", bot, ignore=shutil.ignore_patterns("__pycache__"))
    better = (bot / "bot.py").read_text(encoding="utf-8")
    shutil.copy(CI / "baseline" / "bot.py", bot / "bot.py")
    git(tmp_path, "init", "--quiet", "--bare", "-b", "main", str(origin))
    git(work, "init", "--quiet", "-b", "main")
    commit(work, "The bot as it was")
    git(work, "push", "--quiet", str(origin), "main")
    git(work, "remote", "add", "origin", origin.as_uri())
    git(work, "fetch", "--quiet", "origin")
    git(work, "switch", "--quiet", "-c", "change", "--track", "origin/main")
    (bot / "bot.py").write_text(better, encoding="utf-8")
    commit(work, "A better bot")
    return work


def git(folder: Path, *words: str) -> str:
    who = {f"GIT_{role}_{what}": "tests" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **who}
    )
    return done.stdout.strip()


def commit(folder: Path, subject: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", subject)


# ---- The action


BOT = {"game": "kali", "candidate": "examples/ci/bot"}
Change = Callable[[Path], None]


def broken(bot: Path) -> None:
    (bot / "bot.py").write_text(HOSTILE, encoding="utf-8")


def unbuildable(bot: Path) -> None:
    (bot / "bot.toml").write_text('command = "python bot.py"\nbuild = "false"\n', encoding="utf-8")


@pytest.mark.slow
def test_the_action_installs_compares_with_the_base_branch_and_comments(repository: Path) -> None:
    runner = Runner(repository, **BOT)
    assert runner.run() == 0, runner.codes
    assert (runner.temp / "installed" / "dalang").is_dir()
    data = json.loads(runner.page("compare.json"))
    assert (data["verdict"], data["candidate"], data["baseline"]) == ("good", "careful", "base")
    [older] = runner.temp.glob("base-*/examples/ci/bot/bot.py")
    assert older.read_text(encoding="utf-8") == (CI / "baseline" / "bot.py").read_text(encoding="utf-8")
    assert runner.page("comment.md").startswith("### good")
    assert (runner.temp / "summary").read_text(encoding="utf-8") == runner.page("comment.md")
    assert runner.said().startswith("pr\ncomment\n7\n")
    assert "<!-- dalang-compare -->\n" + runner.page("comment.md") in runner.said()
    assert SCHEMA.is_valid(str(repository / "dalang-compare" / "junit.xml"))


@pytest.mark.slow
@pytest.mark.parametrize(("change", "told"), [(broken, "KeyError: 'loot'"), (unbuildable, "cannot be built")])
def test_the_action_fails_with_a_comment_that_says_why_and_no_older_one(
    change: Change, told: str, repository: Path
) -> None:
    change(repository / "examples" / "ci" / "bot")
    (repository / "dalang-compare").mkdir()
    (repository / "dalang-compare" / "comment.md").write_text(OLD, encoding="utf-8")
    runner = Runner(repository, skip="Install", arguments="--max-blocks 2 --no-clock", **BOT)
    (runner.temp / "older").write_text("https://host/me/bots/pull/7#issuecomment-123", encoding="utf-8")
    assert runner.run() == 4
    assert "PATCH\nrepos/me/bots/issues/comments/123\n" in runner.said(), "the older one is written over"
    assert "### faulty" in runner.said() and told in runner.said() and OLD not in runner.said()
    assert json.loads(runner.page("compare.json"))["verdict"] == "faulty"


@pytest.mark.slow
def test_a_failure_before_any_comparison_is_the_comment_too(repository: Path) -> None:
    (repository / "dalang-compare").mkdir()
    (repository / "dalang-compare" / "comment.md").write_text(OLD, encoding="utf-8")
    runner = Runner(repository, dalang="./not-there", **BOT)
    assert runner.run() == 1
    assert "The verdict" not in runner.codes
    assert "### unfinished" in runner.said() and OLD not in runner.said()
    assert "### unfinished" in (runner.temp / "summary").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_bot_that_the_base_branch_has_not_is_compared_with_another(repository: Path) -> None:
    shutil.copytree(repository / "examples" / "ci" / "bot", repository / "new")
    runner = Runner(
        repository,
        skip="Install",
        game="kali",
        candidate="new",
        arguments="--max-blocks 2 --margin 3",
        comment="false",
    )
    assert runner.run() == 0, runner.codes
    assert runner.context["steps.base.outputs.bot"] == "random"
    assert "Comment, one for all pushes" not in runner.codes


def test_no_script_of_the_action_is_made_of_what_others_wrote() -> None:
    """The name of a branch could be a command; variables are only text."""
    steps = ACTION["runs"]["steps"]
    assert [step for step in steps if "${{" in step.get("run", "")] == []
    assert all(step.get("shell") == "bash" for step in steps if "run" in step)
    used = [step["uses"] for step in [*steps, *WORKFLOW["jobs"]["compare"]["steps"]] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+|\./", name) for name in used)
    assert {"actions/cache@v4", "actions/upload-artifact@v4"} < set(used)


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    [given] = [step["with"] for step in WORKFLOW["jobs"]["compare"]["steps"] if step["uses"] == "./"]
    required = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert required <= set(given) <= set(ACTION["inputs"])
    assert (ROOT / given["candidate"] / "bot.toml").is_file()
    assert WORKFLOW["permissions"]["pull-requests"] == "write"


def test_the_docs_tell_every_input_with_its_default_and_show_the_workflow() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`) \| (.*?) ?\| \S", page, re.MULTILINE)
    told = {name: default for names, default in rows for name in re.findall(r"`([\w-]+)`", names)}
    assert set(told) == set(ACTION["inputs"])
    for name, about in ACTION["inputs"].items():
        assert not about.get("default") or "${{" in about["default"] or f"`{about['default']}`" == told[name]
    [shown] = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert shown in (CI / "compare.yml").read_text(encoding="utf-8")


# ---- Its relatives


@pytest.mark.slow
def test_the_job_for_gitlab_does_the_same(repository: Path) -> None:
    job = GITLAB["compare"]
    setting = {
        "CI_PROJECT_DIR": str(repository),
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_COMMIT_SHA": "c0ffee",
        "PIP_TARGET": str(repository.parent / "installed"),
        "BOT": job["variables"]["BOT"],
    }
    install, *script = job["script"]
    assert install == "python -m pip install ."
    done = in_shell("\n".join(script), repository, **setting)
    assert done.returncode == 0, done.stderr
    assert "careful (candidate) against base (baseline)" in done.stdout
    [comment], junit = job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]
    assert (repository / comment).read_text(encoding="utf-8").startswith("### good")
    assert SCHEMA.is_valid(str(repository / junit))
    assert job["artifacts"]["when"] == "always"


@pytest.fixture
def pushing(repository: Path) -> Iterator[Path]:
    hook = repository / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(CI / "pre-push.sh")
    yield repository
    assert len(git(repository, "worktree", "list").splitlines()) == 1, "it leaves nothing behind"


@pytest.mark.slow
def test_before_a_push_a_good_bot_passes_and_a_broken_one_does_not(pushing: Path) -> None:
    done = in_shell("git push --quiet origin change", pushing)
    assert done.returncode == 0, done.stderr
    assert "verdict     good" in done.stdout
    broken(pushing / "examples" / "ci" / "bot")
    commit(pushing, "A broken bot")
    done = in_shell("git push --quiet origin change", pushing)
    assert done.returncode != 0
    assert "KeyError: 'loot'" in done.stdout
