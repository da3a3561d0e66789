"""Registry: which rule is called what?

Here: the table from a rule's name to its function, filled by the modules that define rules.
Not here: any rule.
Sources: SEMANTICS V3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from comity.core.errors import Fault, UnknownName, did_you_mean, raise_if

__all__ = ["RULES", "parameters_of", "rule", "rule_named", "tally"]

RULES: dict[str, Callable[..., Any]] = {}
"""Name -> rule; a rule takes an election and, by name, ``ties`` and parameters of its own."""

F = TypeVar("F", bound=Callable[..., Any])


def rule(name: str) -> Callable[[F], F]:
    """Register a rule.

    Args:
        name: how callers and files call it.

    Returns:
        A decorator that changes nothing.

    Example:
        >>> rule("example")(len) is len, RULES.pop("example") is len
        (True, True)
    """

    def register(function: F) -> F:
        RULES[name] = function
        return function

    return register


def rule_named(name: str) -> Callable[..., Any]:
    """Return a rule by its name.

    Args:
        name: as in the table; dashes and spaces count as underscores.

    Raises:
        UnknownName: with the nearest names.

    Example:
        >>> rule_named("ranked pairs").__name__
        'ranked_pairs'
    """
    plain = name.strip().casefold().replace("-", "_").replace(" ", "_")
    if plain not in RULES:
        raise UnknownName(
            Fault(f"rule {name!r}", "does not exist", ", ".join(sorted(RULES)),
                  did_you_mean(plain, RULES))
        )  # fmt: skip
    return RULES[plain]


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a rule's parameters.

    Args:
        function: the rule.

    Example:
        >>> parameters_of(rule_named("approval"))
        ('ties',)
    """
    code = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def tally(election: Any, rule: str, **parameters: Any) -> Any:  # noqa: ANN401  # as the rule's own
    """Count an election by a rule that is named.

    Args:
        election: an election, or plain ballots.
        rule: the name of the rule.
        **parameters: the rule's own, and ``ties``.

    Returns:
        The rule's result.

    Raises:
        UnknownName: for a rule that does not exist.
        InvalidInput: for parameters that the rule does not take, and what the rule refuses.

    Example:
        >>> tally(["A", "B", "A"], "plurality").winner
        'A'
    """
    function = rule_named(rule)
    known = parameters_of(function)
    raise_if(
        Fault(rule, f"takes no {name!r}", ", ".join(known), did_you_mean(name, known))
        for name in sorted(parameters.keys() - set(known))
    )
    return function(election, **parameters)
