"""What a SARIF run says about all of its results at once: rules, default levels, messages by name.

SARIF 2.1.0 §3.11 (message), §3.27.5 to §3.27.10 (rule and level of a result), §3.52 (references to rules).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_reviewbench.answers.loose import at, mapping, sequence, string
from pytest_reviewbench.answers.normalise import TEXT_LIMIT

DEFAULT_LEVEL = "warning"

_PLACEHOLDER = re.compile(r"\{(\d{1,4})\}|\{\{|\}\}")


class Rules:
    """The rules of one run. Looking one up takes no time, however many there are."""

    def __init__(self, run: Mapping[str, Any]) -> None:
        tool = mapping(run.get("tool"))
        self._driver = mapping(tool.get("driver"))
        self._extensions = tool.get("extensions")
        self._by_name: dict[str, Mapping[str, Any]] = {}
        for extension in reversed(sequence(self._extensions)):
            for name in (mapping(extension).get("guid"), mapping(extension).get("name")):
                if isinstance(name, str):
                    self._by_name[name] = mapping(extension)
        self._by_id: dict[int, dict[str, Mapping[str, Any]]] = {}
        self._overrides = [
            {
                self._key(mapping(entry.get("descriptor"))): level
                for entry in map(mapping, sequence(mapping(invocation).get("ruleConfigurationOverrides")))
                if (level := string(mapping(entry.get("configuration")).get("level"))) is not None
            }
            for invocation in sequence(run.get("invocations"))
        ]

    def component(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of the tool that has the result's rule: its driver, or an extension."""
        reference = mapping(mapping(result.get("rule")).get("toolComponent"))
        named = reference.get("guid") or reference.get("name")
        return (
            at(self._extensions, reference.get("index"))
            or (self._by_name.get(named) if isinstance(named, str) else None)
            or self._driver
        )

    def rule(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The rule of a result; empty where the run does not have it. `a/b` is a case of rule `a`."""
        component = self.component(result)
        reference, name = mapping(result.get("rule")), rule_id(result)
        position = reference.get("index") if reference.get("index") is not None else result.get("ruleIndex")
        found = at(component.get("rules"), position)
        if found and (name is None or (own := found.get("id")) == name or name.startswith(f"{own}/")):
            return found
        known = self._by_id.get(id(component))
        if known is None:
            rules = [mapping(rule) for rule in reversed(sequence(component.get("rules")))]
            known = {rule["id"]: rule for rule in rules if isinstance(rule.get("id"), str)}
            self._by_id[id(component)] = known
        if name is None:
            return {}
        return known.get(name) or known.get(name.rpartition("/")[0]) or {}

    def level(self, result: Mapping[str, Any], rule: Mapping[str, Any]) -> str | None:
        """The level of a result that is a failure, by the procedure of the standard; None: `none`."""
        level = string(result.get("level"))
        if level is None:
            level = self._overridden(result, rule)
        if level is None:
            level = string(mapping(rule.get("defaultConfiguration")).get("level")) or DEFAULT_LEVEL
        return None if level == "none" else level

    def _overridden(self, result: Mapping[str, Any], rule: Mapping[str, Any]) -> str | None:
        n = mapping(result.get("provenance")).get("invocationIndex")
        if type(n) is not int or not 0 <= n < len(self._overrides):
            return None
        reference = mapping(result.get("rule"))
        component = mapping(reference.get("toolComponent"))
        position = reference.get("index") if reference.get("index") is not None else result.get("ruleIndex")
        keys = [
            self._key({"index": position, "toolComponent": component}),
            self._key({"id": rule.get("id") or rule_id(result), "toolComponent": component}),
        ]
        return next((self._overrides[n][key] for key in keys if key in self._overrides[n]), None)

    @staticmethod
    def _key(reference: Mapping[str, Any]) -> tuple[str, str]:
        """What a reference to a rule names: its position or its id, and whose rule it is."""
        position, name = reference.get("index"), reference.get("id")
        component = mapping(reference.get("toolComponent"))
        owner = component.get("index") if component.get("index") is not None else component.get("name")
        named = f"#{position}" if type(position) is int else name if isinstance(name, str) else ""
        return named, str(owner)[:100] if isinstance(owner, int | str) and owner != -1 else ""

    def message(self, result: Mapping[str, Any], rule: Mapping[str, Any]) -> str | None:
        """The text of a result, its placeholders filled; None: there is none, or it is not in this file."""
        said = mapping(result.get("message"))
        found: Mapping[str, Any] = said
        if string(said.get("text")) is None and isinstance(said.get("id"), str):
            strings = [rule.get("messageStrings"), self.component(result).get("globalMessageStrings")]
            named = (mapping(mapping(one).get(said["id"])) for one in strings)
            found = next((one for one in named if one), said)
        text = string(found.get("text")) or string(found.get("markdown"))
        arguments = sequence(said.get("arguments"))
        return _filled(text, arguments) if text is not None and arguments else text


def rule_id(result: Mapping[str, Any]) -> str | None:
    return string(result.get("ruleId")) or string(mapping(result.get("rule")).get("id"))


def _filled(text: str, arguments: Sequence[Any]) -> str:
    """`text` with its arguments, as far as anybody reads it: a few words could stand for gigabytes."""
    parts: list[str] = []
    length = pos = 0
    for found in _PLACEHOLDER.finditer(text[: 2 * TEXT_LIMIT]):
        part = found[0][:1]
        if found[1] is not None:
            n = int(found[1])
            part = arguments[n] if n < len(arguments) and isinstance(arguments[n], str) else found[0]
        parts += [text[pos : found.start()], part[: 2 * TEXT_LIMIT]]
        length += len(parts[-1]) + len(parts[-2])
        pos = found.end()
        if length > 2 * TEXT_LIMIT:
            break
    return "".join([*parts, text[pos : pos + 2 * TEXT_LIMIT]])[: 2 * TEXT_LIMIT]
