"""Vote text: how does a vote read on a terminal?

Here: the sentence, and the whole page: the count, what happened in it, why it is thin, how firm it
is, what other rules say.
Not here: counting (mechanisms/voting), tables (vote_tables.py), drawings (vote_charts.py), other
forms (text.py).
Sources: SEMANTICS V5, G1, G2, G8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.render.ink import Ink
from comity.render.price import joined, listed, number_text, words
from comity.render.vote_facts import (
    DUELS,
    LEAST_WINS,
    Facts,
    cell,
    facts_of,
    in_words,
    items_of,
    number_of,
    object_of,
)
from comity.render.vote_tables import (
    duels_table,
    in_rounds,
    rounds_table,
    rules_table,
    tally_table,
)

__all__ = ["comparison_text", "vote_sentence", "vote_text"]

_FLAGS = {
    "majority_last": "more than half of the ballots put the winner last",
    "condorcet_loser": "every other option beats the winner one to one",
    "not_condorcet_winner": "another option beats all others one to one and did not win",
    "unanimous_can_hang": "any one member can veto, also one that hangs",
}


# --- the sentence ----------------------------------------------------------------------------


def vote_sentence(data: JsonObject, ink: Ink | None = None) -> str:
    """Return a vote's outcome in one sentence, with why it is thin.

    Args:
        data: what ``to_json`` of a vote returned.
        ink: how it may be dressed.

    Example:
        >>> scores = [{"name": "A", "value": 4}, {"name": "B", "value": 3}]
        >>> grounds = {"rule": "plurality", "scores": scores, "margin": 1}
        >>> vote_sentence({"kind": "choice", "option": "A", "grounds": grounds})
        'A wins by 1 (4 to 3 votes) under plurality.'
    """
    ink = ink or Ink()
    facts = facts_of(data)
    kind = str(data.get("kind"))
    own = data.get("says")
    say = _SENTENCES.get(kind, _other)
    said = one_line(str(own)).rstrip(".") if own else _by_hand(facts) or say(facts)
    dress = ink.good if kind in {"choice", "verdict"} else ink.warn
    thin = f"; {ink.warn('thin')}: {', '.join(facts.thin)}" if facts.thin else ""
    return f"{dress(said)}{thin}."


def _by_hand(facts: Facts) -> str:
    """Return what was decided in place of the count, by whom and why; "" when the count stands."""
    grounds, data = facts.grounds, facts.data
    ties, submitted = items_of(grounds, "ties"), items_of(grounds, "submissions")
    told = [(one.get("party"), object_of(one, "what")) for one in submitted]
    seat, word = next((one for one in reversed(told) if "decides" in one[1]), ("", {}))
    by = grounds.get("ended_by")
    if by not in {"person", "default"} or (by == "person" and word.get("decides") == "accept"):
        return ""
    is_drawn = bool(ties) and ties[-1].get("rule") == "human"
    if is_drawn or data.get("elected") or grounds.get("margin") is not None:
        return ""
    name = one_line(str(data.get("option") or data.get("verdict")))
    votes = ", ".join(f"{option} {number_text(votes)}" for option, votes in facts.tally)
    count = f"the count: {votes} under {facts.under}" if votes else f"the rule: {facts.under}"
    if by == "default":
        return f"{name}, by default, as nobody answered in time; {count}"
    why = f": {word['reason']}" if word.get("reason") else ""
    return one_line(f"{name}, decided by {word.get('by') or seat}{why}; {count}")


def _choice(facts: Facts) -> str:
    winners = facts.winners
    if facts.data.get("elected"):
        verb = "is elected" if len(winners) == 1 else "are elected"
        return f"{in_words(winners)} {verb} under {facts.under}{_by_ties(facts)}"
    (winner,) = winners or ("nobody",)
    margin = facts.grounds.get("margin")
    broken = _by_ties(facts)
    if broken or margin is None:
        return f"{winner} wins under {facts.under}{broken}"
    return f"{winner} wins by {number_text(margin)}{_to(facts, winner)} under {facts.under}"


def _by_ties(facts: Facts) -> str:
    """Return how ties on the way were broken, or ""."""
    ties = items_of(facts.grounds, "ties")
    if not ties:
        return ""
    last = ties[-1]
    rule = _told_rule(facts) or str(last.get("rule"))
    if len(ties) == 1 and last.get("chosen") in facts.winners:
        others = [name for name in words(last.get("tied")) if name != last.get("chosen")]
        return f"; its tie with {in_words(others)} was broken by {one_line(rule)}"
    return f"; {len(ties)} ties were broken by {one_line(rule)}"


def _told_rule(facts: Facts) -> str:
    named = facts.grounds.get("parameters")
    pairs = named if isinstance(named, (list, tuple)) else ()
    found = [pair[1] for pair in pairs if isinstance(pair, (list, tuple)) and pair[0] == "ties"]
    return str(found[-1]) if found else ""


def _to(facts: Facts, winner: str) -> str:
    """Return the two numbers whose distance the margin is, or ""."""
    margin = number_of(facts.grounds.get("margin"))
    mine = facts.duels.get(winner, {})
    for other, votes in mine.items() if facts.rule in DUELS else ():
        against = facts.duels.get(other, {}).get(winner)
        if against is not None and number_of(votes) - number_of(against) == margin:
            return f" ({cell(votes)} to {cell(against)} over {one_line(other)})"
    rounds = [one for one in facts.rounds if items_of(one, "tally")]
    pairs, unit = facts.tally, "" if facts.unit == "tally" else facts.unit
    if facts.rule in {"irv", "coombs", "star"} and rounds:
        pairs = [(str(one["name"]), one.get("value")) for one in items_of(rounds[-1], "tally")]
        unit = ""
    is_least = facts.rule in LEAST_WINS
    sign = 1 if is_least else -1
    ordered = sorted(pairs, key=lambda pair: (pair[0] != winner, sign * number_of(pair[1])))
    if len(ordered) < 2 or abs(number_of(ordered[0][1]) - number_of(ordered[1][1])) != margin:
        return ""
    first, second = (cell(value) for _, value in ordered[:2])
    told = (unit, f"{first} to {second}") if is_least else (f"{first} to {second}", unit)
    return f" ({' '.join(part for part in told if part)})"


def _no_decision(facts: Facts) -> str:
    reason = str(facts.data.get("reason", "")).replace("_", " ")
    head = f"No decision ({reason})" if reason else "No decision"
    tied = in_words(facts.tied)
    if reason == "cycle":
        return f"{head}: {tied} beat each other in a circle under {facts.under}"
    if reason == "tie":
        return f"{head}: {tied} are equal under {facts.under}"
    leader = facts.tied[0] if facts.tied else "nobody"
    votes = number_text(items_of(facts.data, "leaders")[0].get("value")) if facts.tied else "0"
    needed = [number_text(one.get("value")) for each in facts.rounds
              for one in items_of(each, "tally") if one.get("name") == "needed"]  # fmt: skip
    of = f" of {needed[0]} needed" if needed else ""
    return f"{head}: {leader} leads with {votes}{of} under {facts.under}"


def _verdict(facts: Facts) -> str:
    votes = dict(facts.tally)
    told = ", ".join(f"{number_text(votes[name])} {name}" for name in ("yes", "no", "veto")
                     if votes.get(name))  # fmt: skip
    said = one_line(str(facts.data.get("verdict"))).capitalize()
    return f"{said}: {told} under {facts.under}" if told else f"{said} under {facts.under}"


def _no_quorum(facts: Facts) -> str:
    present, needed = (number_text(facts.data.get(key)) for key in ("present", "needed"))
    return f"No quorum: {present} took part, {needed} needed, under {facts.under}"


def _blocked(facts: Facts) -> str:
    by = facts.data.get("by")
    pairs = [words(one) for one in by] if isinstance(by, (list, tuple)) else []
    told = "; ".join(": ".join(pair) for pair in pairs)
    return f"Blocked by {told} under {facts.under}"


def _other(facts: Facts) -> str:
    return one_line(str(facts.data.get("kind", ""))).replace("_", " ").capitalize()


_SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    "choice": _choice,
    "no_decision": _no_decision,
    "verdict": _verdict,
    "no_quorum": _no_quorum,
    "blocked": _blocked,
}


# --- the whole -------------------------------------------------------------------------------


def vote_text(data: JsonObject, ink: Ink) -> str:
    """Return a vote as a person reads it.

    Args:
        data: what ``to_json`` of a vote returned; what `comity tally` adds is shown where it is.
        ink: how it may be dressed.

    Returns:
        The sentence, the count, its rounds, the duels, who was dropped, why to look twice, how
        many voters would change it, what other rules say.

    Example:
        >>> scores = [{"name": "A", "value": 4}, {"name": "B", "value": 3}]
        >>> grounds = {"rule": "plurality", "scores": scores, "margin": 1}
        >>> print(vote_text({"kind": "choice", "option": "A", "grounds": grounds}, Ink()))
        A wins by 1 (4 to 3 votes) under plurality.
        <BLANKLINE>
        option  votes
        A           4
        B           3
    """
    facts = facts_of(data)
    grid = rounds_table(facts)
    dropped = facts.count.get("dropped")
    gone = [": ".join(words(one)) for one in dropped] if isinstance(dropped, (list, tuple)) else []
    flags = [_FLAGS.get(flag, flag.replace("_", " ")) for flag in words(facts.count.get("flags"))]
    return joined(
        [
            vote_sentence(data, ink),
            "" if grid else tally_table(facts),
            grid,
            listed("Rounds", _stages(facts, is_drawn=bool(grid)), ink),
            duels_table(facts, ink),
            listed("Dropped before the count", gone, ink),
            listed("Worth a second look", flags, ink),
            _firmness(facts),
            listed("What would unblock it", words(data.get("unblock")), ink),
            rules_table(items_of(data, "others"), ink, title="Other rules"),
            _electorate(facts),
            listed("Notes of the file", words(data.get("notes")), ink),
        ]
    )


def _stages(facts: Facts, *, is_drawn: bool) -> list[str]:
    """Return what happened in each stage of the count."""
    drawn = [id(one) for one in in_rounds(facts)] if is_drawn else []
    return [_stage(facts, one, with_counts=id(one) not in drawn) for one in facts.rounds]


def _stage(facts: Facts, one: Mapping[str, Json], *, with_counts: bool) -> str:
    """Return what happened in one stage."""
    parts = []
    pairs = items_of(one, "tally")
    if with_counts and pairs and one.get("name") != "threshold":
        parts.append(", ".join(f"{each['name']} {cell(each.get('value'))}"
                               for each in pairs))  # fmt: skip
    out, won = words(one.get("out")), set(facts.winners)
    stays = [name for name in out if name in won]
    leaves = [name for name in out if name not in won]
    if stays:
        verb = "wins" if not facts.data.get("elected") else "elected"
        parts.append(f"{in_words(stays)} {verb}")
    if leaves and one is not facts.rounds[-1]:
        parts.append(f"{in_words(leaves)} {'leaves' if len(leaves) == 1 else 'leave'}")
    parts.extend(words([one.get("note")] if one.get("note") else []))
    return one_line(f"{one.get('name')}: {'; '.join(parts)}")


def _firmness(facts: Facts) -> str:
    """Return how many voters would change it, and who."""
    found = facts.data.get("margin_of_victory")
    if not isinstance(found, Mapping):
        return ""
    least, most = found.get("at_least"), found.get("at_most")
    if not facts.winners:
        return ""
    if most is None:
        number = f"at least {least}"
    else:
        number = str(least) if least == most else f"{least} to {most}"
    lines = [f"Margin of victory: {number} {'voter' if number == '1' else 'voters'}"]
    pivotal = [str(one.get("voter")) + (f" ({one['count']} alike)" if one.get("count", 1) != 1
               else "") for one in items_of(facts.data, "pivotal")]  # fmt: skip
    if pivotal:
        lines.append(f"Pivotal, each alone: {one_line(', '.join(pivotal))}")
    if facts.data.get("effective_margin") is not None:
        lead = number_text(facts.data["effective_margin"])
        lines.append(f"Lead in independent votes: {lead}")
    return "\n".join(lines)


def _electorate(facts: Facts) -> str:
    counts = object_of(facts.data, "counts")
    if not counts:
        return ""
    told = [f"{counts.get('ballots')} ballots"]
    told += [f"{counts.get(name)} {name}" for name in ("abstained", "invalid", "absent")]
    return ", ".join(told)


def comparison_text(data: JsonObject, ink: Ink) -> str:
    """Return all standard rules side by side.

    Args:
        data: what `comity compare --json` wrote.
        ink: how it may be dressed.

    Example:
        >>> print(comparison_text({"says": "They agree.", "agree": True, "said": []}, Ink()))
        They agree.
    """
    said = one_line(str(data.get("says")))
    dress = ink.good if data.get("agree") else ink.warn
    return joined(
        [
            dress(said),
            rules_table(items_of(data, "said"), ink),
            _electorate(facts_of(data)),
            listed("Notes of the file", words(data.get("notes")), ink),
        ]
    )
