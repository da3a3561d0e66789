"""Opening a vote: is everything said that it needs, and can its rule count such ballots?

Here: building the rules from plain values with every fault at once, reading recorded ones.
Not here: the rules as values (rules.py), files (formats/vote_file.py).
Sources: SEMANTICS V1, V8, G7. Whether a rule can count the ballots is found by letting it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from comity.core.canonical import Json, JsonObject
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.parties import Party, roster_of
from comity.mechanisms.voting import rule_named
from comity.mechanisms.voting.ballots import KINDS, MOST_OPTIONS, YES_NO, BallotKind
from comity.mechanisms.voting.tie_breaking import tie_faults
from comity.protocols.collect.rules import (
    Absent,
    Changes,
    Gate,
    VoteLimits,
    Voter,
    VoteRules,
)

__all__ = ["RULE_OF_KIND", "rules_from_json", "vote_rules"]

RULE_OF_KIND: dict[BallotKind, str] = {
    "choice": "majority",
    "yes_no": "majority",
    "approval": "approval",
    "score": "score",
    "ranking": "schulze",
}
"""Kind of ballot -> the rule that counts it when none is named."""

_KIND_OF_RULE: dict[str, BallotKind] = {
    "approval": "approval",
    "score": "score",
    "star": "score",
    **dict.fromkeys(
        (
            "borda",
            "condorcet",
            "coombs",
            "copeland",
            "debian",
            "irv",
            "kemeny",
            "minimax",
            "ranked_pairs",
            "schulze",
            "supermajority",
        ),
        "ranking",
    ),
}
"""Rule -> the ballots that it is there for, when none are named."""

_SETTINGS = (
    "about",
    "absent",
    "changes",
    "default_option",
    "early",
    "gate",
    "kind",
    "limits",
    "n_eff",
    "options",
    "parameters",
    "rule",
    "turnout_floor",
    "veto_holders",
    "work",
)
_RECORDED = (
    "question",
    "voters",
    "seed",
    "kind",
    "options",
    "rule",
    "parameters",
    "limits",
    "gate",
)


def vote_rules(
    question: str,
    voters: Mapping[str, object] | Iterable[str],
    *,
    seed: str,
    **settings: Any,  # noqa: ANN401  # the attributes of VoteRules
) -> VoteRules:
    """Build the rules and refuse every fault at once.

    Args:
        question: what is to be decided.
        voters: names, or name -> {weight, model, prompt, evidence}.
        seed: the seed of every lot.
        **settings: the other attributes of `VoteRules`; ``gate`` and ``limits`` as values.

    Returns:
        The rules.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> rules = vote_rules("Which?", ["ann", "bob", "cyd"], seed="1", options=["A", "B"])
        >>> rules.kind, rules.rule, rules.warnings
        ('choice', 'majority', ())
    """
    faults = [
        Fault("vote", f"has an unknown entry {shown(name)}", ", ".join(_SETTINGS),
              did_you_mean(name, _SETTINGS))
        for name in settings
        if name not in _SETTINGS
    ]  # fmt: skip
    if not str(question).strip():
        faults.append(Fault("vote", "asks nothing", "a question", "say what is to be decided"))
    seated = _voters(voters, faults)
    kind = _kind(settings.get("kind"), settings.get("options"), settings.get("rule"), faults)
    options = _options(kind, settings.get("options"), faults)
    limits, gate = settings.get("limits") or VoteLimits(), settings.get("gate") or Gate()
    rules = VoteRules(
        question=str(question).strip(),
        voters=seated,
        seed=seed,
        kind=kind,
        options=options,
        rule=str(settings.get("rule") or RULE_OF_KIND[kind]),
        parameters=settings.get("parameters") or {},
        about=settings.get("about") or {},
        limits=limits,
        changes=settings.get("changes", "last"),
        absent=settings.get("absent", "abstain"),
        default_option=settings.get("default_option") or "",
        early=settings.get("early", True),
        veto_holders=tuple(sorted(settings.get("veto_holders") or ())),
        turnout_floor=_floor(settings.get("turnout_floor"), faults),
        n_eff=_effective(settings.get("n_eff"), faults),
        gate=gate,
        work=str(settings.get("work") or ""),
    )
    faults.extend(limits.faults())
    if seated and options:
        faults.extend(_setting_faults(rules))
        faults.extend(gate.faults(rules.choices))
        faults.extend(_rule_faults(rules, is_sound=not faults))
    raise_if(faults)
    return rules


def _voters(given: object, faults: list[Fault]) -> tuple[Voter, ...]:
    allowed = "weight, model, prompt, evidence"
    if isinstance(given, str) or not isinstance(given, Iterable):
        faults.append(Fault("voters", f"are {shown(given)}", "a list of names", "list them"))
        return ()
    table: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
    names: list[Any] = list(given)
    found = []
    for name in names:
        own = table.get(name) or {}
        if not isinstance(own, Mapping):
            faults.append(
                Fault(f"voter {shown(name)}", f"is {shown(own)}", allowed, "state these")
            )
            own = {}
        faults.extend(
            Fault(f"voter {shown(name)}", f"has an unknown entry {shown(key)}", allowed,
                  did_you_mean(str(key), allowed.split(", ")))
            for key in own
            if key not in allowed.split(", ")
        )  # fmt: skip
        weight: Exact = 1
        try:
            weight = read_exact(own.get("weight", 1), f"voter {shown(name)}", "weight")
        except InvalidInput as error:
            faults.extend(error.faults)
        texts = {key: str(own.get(key) or "") for key in ("model", "prompt", "evidence")}
        found.append(Voter(id=name, weight=weight, **texts))
    try:
        members = roster_of([Party(one.id, one.weight) for one in found])
    except InvalidInput as error:
        faults.extend(error.faults)
        return ()
    if not sum(to_fraction(one.weight) for one in members.parties):
        faults.append(Fault("voters", "weigh 0", "some weight above 0", "correct the weights"))
    return tuple(sorted(found, key=lambda one: one.id))


def _kind(
    given: Any,  # noqa: ANN401  # read here
    options: object,
    rule: object,
    faults: list[Fault],
) -> BallotKind:
    if given is None:
        plain = str(rule or "").casefold().replace("-", "_").replace(" ", "_")
        return _KIND_OF_RULE.get(plain, "choice") if options else "yes_no"
    if given in KINDS:
        return KINDS[KINDS.index(given)]
    near = did_you_mean(str(given), KINDS)
    faults.append(Fault("vote", f"has the kind {shown(given)}", ", ".join(KINDS), near))
    return "choice"


def _options(kind: BallotKind, given: object, faults: list[Fault]) -> tuple[str, ...]:
    names = list(given) if isinstance(given, (list, tuple)) else []
    if kind == "yes_no":
        if names and sorted(map(str, names)) not in (["no", "yes"], sorted(YES_NO)):
            what = f"are {shown(names)}"
            faults.append(Fault("options", what, "none for a yes/no vote", "leave them out"))
        return YES_NO
    folded: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip() or name != " ".join(name.split()):
            what = f"list {shown(name)}"
            faults.append(Fault("options", what, "texts on one line", "name the option"))
            continue
        if name.casefold() in folded:
            other = shown(folded[name.casefold()])
            what = f"list {other} and {shown(name)}, which only capitals tell apart"
            faults.append(Fault("options", what, "each once", "rename one"))
        folded[name.casefold()] = name
    if len(names) < 2 or len(names) > MOST_OPTIONS:
        what = f"are {len(names)}"
        faults.append(Fault("options", what, f"2 to {MOST_OPTIONS}", "list what may be chosen"))
    return tuple(sorted(folded.values()))


def _floor(given: object, faults: list[Fault]) -> Exact | None:
    if given is None:
        return None
    try:
        found = read_exact(given, "vote", "turnout_floor")
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    if not 0 <= found <= 1:
        faults.append(Fault("vote", f"has the turnout floor {found}", "0 to 1", "correct it"))
    return found


def _effective(given: object, faults: list[Fault]) -> Exact | None:
    if given is None:
        return None
    try:
        found = read_exact(given, "vote", "n_eff")
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    if found <= 0:
        faults.append(Fault("vote", f"has the n_eff {found}", "above 0", "correct it"))
    return found


def _setting_faults(rules: VoteRules) -> list[Fault]:
    faults = [
        Fault("vote", f"has {name} {shown(value)}", ", ".join(known),
              did_you_mean(str(value), known))
        for name, value, known in (
            ("changes", rules.changes, get_args(Changes)),
            ("absent", rules.absent, get_args(Absent)),
        )
        if value not in known
    ]  # fmt: skip
    names = rules.options
    if rules.gate.on != "none" and "accept" in names:
        what = "list 'accept', the word with which a person lets a vote stand"
        faults.append(Fault("options", what, "other names", "rename it, or say human = false"))
    faults.extend(tie_faults(str(rules.parameters.get("ties", "")), names, rules.ids))
    needs_default = rules.absent == "against" and rules.kind != "yes_no"
    if (rules.default_option or needs_default) and rules.default_option not in names:
        near = did_you_mean(rules.default_option, names)
        what = f"has the default option {shown(rules.default_option)}"
        faults.append(Fault("vote", what, ", ".join(names), near))
    if rules.absent == "against" and rules.kind == "score":
        what = "counts the absent against, and scores have no such ballot"
        faults.append(Fault("vote", what, "abstain, extend or person", "choose one"))
    if rules.limits.least_voters > len(rules.voters):
        what = f"needs {rules.limits.least_voters} voters of {len(rules.voters)}"
        faults.append(Fault("limits", what, "no more than there are", "lower least_voters"))
    faults.extend(
        Fault("veto holders", f"name {shown(one)}, who is no voter", ", ".join(rules.ids),
              did_you_mean(str(one), rules.ids))
        for one in rules.veto_holders
        if one not in rules.ids
    )  # fmt: skip
    if rules.veto_holders and rules.kind != "yes_no":
        what = f"stand beside {rules.kind} ballots"
        faults.append(Fault("veto holders", what, "a yes/no vote", "leave them out"))
    faults.extend(
        Fault("about", f"explains {shown(one)}", ", ".join(names), did_you_mean(str(one), names))
        for one in rules.about
        if one not in names
    )
    return faults


# --- the rule --------------------------------------------------------------------------------


def _rule_faults(rules: VoteRules, *, is_sound: bool) -> list[Fault]:
    """Return why the rule cannot count such ballots, found by counting some of sound rules."""
    try:
        rule = rule_named(rules.rule)
    except InvalidInput as error:
        return list(error.faults)
    known = [
        one
        for one in inspect.signature(rule).parameters.values()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    names = [one.name for one in known]
    faults = [
        Fault(f"rule {rules.rule!r}", f"has no parameter {shown(name)}",
              ", ".join(names) or "none", did_you_mean(str(name), names))
        for name in rules.parameters
        if name not in names
    ]  # fmt: skip
    faults.extend(
        Fault(f"rule {rules.rule!r}", f"lacks its parameter {one.name!r}", ", ".join(names),
              "add it to the parameters")
        for one in known
        if one.default is inspect.Parameter.empty and one.name not in rules.told
    )  # fmt: skip
    if faults or not is_sound:
        return faults
    samples: dict[BallotKind, Json] = {
        "choice": rules.options[0],
        "yes_no": "yes",
        "ranking": list(rules.options),
        "approval": [rules.options[0]],
        "score": dict.fromkeys(rules.options, 1),
    }
    tries: list[dict[str, Json]] = [{}, dict.fromkeys(rules.ids, samples[rules.kind])]
    if rules.absent == "against":
        tries.append(dict.fromkeys(rules.ids, rules.against))
    try:
        for ballots in tries:
            rule(rules.election(ballots), **rules.told)
    except InvalidInput as error:
        return list(error.faults)
    except (TypeError, ValueError, AttributeError):
        what = "cannot be used with these parameters"
        return [Fault(f"rule {rules.rule!r}", what, ", ".join(names), "correct the parameters")]
    return []


def rules_from_json(data: JsonObject) -> VoteRules:
    """Read rules that :meth:`VoteRules.to_json` wrote.

    Args:
        data: the recorded rules.

    Returns:
        Equal rules.

    Raises:
        InvalidInput: when the record is damaged.

    Example:
        >>> rules = vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1")
        >>> rules_from_json(rules.to_json()) == rules
        True
    """
    missing = [name for name in _RECORDED if name not in data]
    voters, limits, gate = data.get("voters"), data.get("limits"), data.get("gate")
    if missing or not (
        isinstance(voters, Mapping) and isinstance(limits, Mapping) and isinstance(gate, Mapping)
    ):
        what = f"lack {', '.join(missing)}" if missing else "have no voters and limits to read"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    given: dict[str, Any] = {
        name: data[name] for name in _SETTINGS if name in data and name not in {"limits", "gate"}
    }
    rules = vote_rules(
        str(data["question"]),
        voters,
        seed=str(data["seed"]),
        limits=decode(VoteLimits, limits, where="limits"),
        gate=decode(Gate, gate, where="gate"),
        **given,
    )
    if data.get("roster_digest", rules.roster.digest) != rules.roster.digest:
        what = "state another roster than their digest says"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    return rules
