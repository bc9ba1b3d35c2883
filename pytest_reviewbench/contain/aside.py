"""Which files of a reviewed tree are set aside: those that would tell the reviewer how to review.

A decision about paths alone; what is inside files that are only partly configuration is in `sections`.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

STEERING = {
    "an agent reads them as orders of its user": (
        "claude.md", "claude.*.md", "agents.md", "agents.*.md", "agent.md", "gemini.md", "qwen.md", "warp.md",
        "crush.md", "replit.md", ".cursorrules", ".windsurfrules", ".clinerules", ".clinerules-*", ".roorules",
        ".roorules-*", ".goosehints", ".rules", ".github/copilot-instructions.md", ".github/instructions",
        ".github/prompts", ".github/chatmodes", ".github/agents", ".github/skills",
    ),
    "an agent takes permissions, hooks, commands, skills and servers to start from them": (
        ".claude", ".claude.json", ".claude-plugin", ".mcp.json", ".codex", ".gemini", ".opencode", "opencode.json",
        "opencode.jsonc", ".cursor", ".windsurf", ".codeium", ".roo", ".roomodes", ".kilocode", ".kilocodemodes",
        ".continue", ".continuerc.json", ".aider*", ".amazonq", ".kiro", ".augment", ".augment-guidelines", ".trae",
        ".qwen", ".crush", ".crush.json", "crush.json", ".junie", ".agents", ".agent", ".factory", ".goose",
        ".openhands", ".serena", ".copilot",
    ),
    "they hide code from an agent or from its search": (
        ".aiexclude", ".aiignore", ".augmentignore", ".claudeignore", ".clineignore",
        ".codeiumignore", ".continueignore", ".copilotignore", ".cursorignore", ".cursorindexingignore",
        ".geminiignore", ".rooignore", ".ignore", ".rgignore", ".fdignore", ".agignore",
    ),
    "an editor, and an agent that works in one, takes settings and tasks from them": (
        ".vscode", ".idea", ".vs", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", "*.code-workspace",
        ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el",
    ),
    "a shell or a shim takes variables and versions of programs from them": (
        ".env", ".env.*", ".envrc", ".direnv", ".mise", ".mise.*", "mise.toml", "mise.*.toml", ".tool-versions",
        ".python-version", ".node-version", ".nvmrc", ".ruby-version",
    ),
    "a package client takes registries, tokens and programs to run from them": (
        ".npmrc", ".yarnrc", ".yarnrc.*", ".yarn", ".pnpmfile.*", "bunfig.toml", ".bunfig.toml", ".pypirc",
        "pip.conf", "pip.ini", "uv.toml", ".condarc", ".netrc", ".cargo",
    ),
    "an analyser of Python takes rules, exclusions and plugins from them": (
        "ruff.toml", ".ruff.toml", "pyrefly.toml", "ty.toml", "mypy.ini", ".mypy.ini", "pyrightconfig.json",
        ".pyre_configuration*", ".flake8", ".pylintrc", ".pylintrc.toml", "pylintrc", "pylintrc.toml",
        ".pycodestyle", ".pydocstyle", ".pydocstyle.*", ".pydocstylerc*", ".bandit", "bandit.y*ml", ".isort.cfg",
        ".style.yapf", ".yapfignore", ".coveragerc", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
        "tox.ini", ".prospector.y*ml", ".landscape.y*ml",
    ),
    "an analyser of JavaScript takes rules, exclusions and plugins from them": (
        ".eslintrc", ".eslintrc.*", "eslint.config.*", ".eslintignore", ".oxlintrc.*", "oxlint.config.*",
        ".oxlintignore", "biome.json", "biome.jsonc", ".biome.json*", ".prettierrc", ".prettierrc.*",
        "prettier.config.*", ".prettierignore", ".stylelintrc", ".stylelintrc.*", "stylelint.config.*",
        ".stylelintignore", ".jshintrc", ".jshintignore", ".jscsrc", "tslint.json", ".xo-config*", "xo.config.*",
    ),
    "an analyser of any other language takes rules and exclusions from them": (
        ".shellcheckrc", "shellcheckrc", ".editorconfig", ".pre-commit-config.y*ml", ".semgrep", ".semgrep.y*ml",
        "semgrep.y*ml", ".semgrepignore", "sonar-project.properties", ".sonarcloud.properties", ".codeclimate.y*ml",
        ".deepsource.toml", ".codacy.y*ml", ".coderabbit.y*ml", ".pr_agent.toml", ".sourcery.y*ml", "qodana.y*ml",
        "greptile.json", ".gitleaks.toml", ".gitleaksignore", ".trunk", ".hadolint.y*ml", ".yamllint",
        ".yamllint.y*ml", ".markdownlint*", ".golangci.*", "clippy.toml", ".clippy.toml", "rustfmt.toml",
        ".rustfmt.toml", ".rubocop.y*ml", ".rubocop_todo.y*ml", ".clang-tidy", ".clang-format", "phpstan.neon*",
        "psalm.xml*", ".php-cs-fixer*", ".swiftlint.y*ml", "detekt.y*ml", "lefthook.y*ml", ".lefthook.y*ml",
    ),
}  # fmt: skip
"""Names of files and folders at any depth, letter case aside, by what makes them steer. `*` as in a shell."""

SOURCE = frozenset({
    ".c", ".cc", ".cjs", ".cpp", ".cs", ".cts", ".cxx", ".dart", ".el", ".ex", ".exs", ".go", ".h", ".hpp", ".java",
    ".js", ".jsx", ".kt", ".lua", ".m", ".mjs", ".mts", ".php", ".pl", ".pm", ".py", ".pyi", ".pyw", ".rb", ".rs",
    ".scala", ".sh", ".ash", ".bash", ".bats", ".dash", ".ksh", ".zsh", ".svelte", ".swift", ".ts", ".tsx", ".vue",
})  # fmt: skip
"""Extensions of source code. Such a file stays when the change touches it: it is what is to be reviewed."""

MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class Decision:
    """`kept` are the paths to show; `withheld` those of the change that are not among them; `listed` names all
    that was set aside, a folder once and with its slash."""

    kept: tuple[str, ...]
    withheld: tuple[str, ...]
    listed: tuple[str, ...]


def decide(paths: Iterable[str], changed: Collection[str]) -> Decision:
    """What of a tree is shown; `changed` are the paths that the change touches."""
    kept, withheld, listed = [], [], set()
    for path in paths:
        place = steering_place(path)
        if place is None or (path in changed and is_source(path)):
            kept.append(path)
            continue
        listed.add(place)
        if path in changed:
            withheld.append(path)
    return Decision(tuple(kept), tuple(withheld), tuple(sorted(listed)))


def steering_place(path: str) -> str | None:
    """The file or the outermost folder (with its slash) that makes `path` steer; None: it does not."""
    parts = path.split("/")
    folded = [part.casefold() for part in parts]
    for n, name in enumerate(folded):
        if _steers(name) or (n and f"{folded[n - 1]}/{name}" in _exact()):
            return path if n == len(parts) - 1 else "/".join(parts[: n + 1]) + "/"
    return None


def is_source(path: str) -> bool:
    """Is it, by its extension, source code of some language?"""
    name = path.rpartition("/")[2].casefold()
    return "." in name[1:] and "." + name.rpartition(".")[2] in SOURCE


def capped(listed: Collection[str]) -> tuple[str, ...]:
    """`listed`, sorted, as a record holds it: a hostile tree may have a steering file in each of 5,000 folders."""
    shown = sorted(listed)
    more = len(shown) - MOST_LISTED
    return (*shown[:MOST_LISTED], f"... and {more} more") if more > 0 else tuple(shown)


@functools.lru_cache(10_000)  # the same few folders stand in most paths of a tree
def _steers(name: str) -> bool:
    return name in _exact() or _patterns().fullmatch(name) is not None


@functools.cache
def _exact() -> frozenset[str]:
    return frozenset(name for names in STEERING.values() for name in names if "*" not in name)


@functools.cache
def _patterns() -> re.Pattern[str]:
    patterns = (name for names in STEERING.values() for name in names if "*" in name)
    return re.compile("|".join(map(fnmatch.translate, patterns)))
