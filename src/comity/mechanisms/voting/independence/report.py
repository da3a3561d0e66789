"""Independence report: as how many voters does this panel count?

Here: the report with and without truth, its warnings, its headline, its JSON.
Not here: the figures (the modules beside this one), tables and charts (render/independence.py).
Sources: SEMANTICS V9, G1, G8; Kohli 2026 (nine judges count as about two).

Errors are never estimated against the panel's own majority or Dawid-Skene labels: where the
panel errs together, the majority errs with it, and the shared errors disappear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from comity.core.canonical import Json, JsonObject
from comity.core.codec import decode, encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact
from comity.core.show import as_html
from comity.mechanisms.voting.independence.log import VoteLog, own_truth_fault
from comity.mechanisms.voting.independence.rules import ReportRules
from comity.mechanisms.voting.independence.with_truth import WithTruth, with_truth
from comity.mechanisms.voting.independence.without_truth import (
    WithoutTruth,
    fitted_model,
    own_labels,
    without_truth,
)
from comity.mechanisms.voting.independence.wording import headline, sentences, warnings_of

__all__ = ["IndependenceReport", "independence"]

REPORT_VERSION = 1
_DERIVED = ("v", "kind", "n_eff", "cautious_n_eff", "says")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependenceReport:
    """Are the voters of a log independent?

    Attributes:
        headline: the answer in one line.
        warnings: what to know before it is used.
        items: how many items the log has.
        voters: the voters, sorted.
        options: the options, sorted.
        weights: the weight of each voter.
        with_truth: what the log says given the truth; None without it.
        without_truth: what the votes alone say.
        seed: the seed of everything that was drawn.
        rules: the limits that were used.
        log_digest: the digest of the log.
    """

    headline: str
    warnings: tuple[str, ...]
    items: int
    voters: tuple[str, ...]
    options: tuple[str, ...]
    weights: tuple[Exact, ...]
    with_truth: WithTruth | None
    without_truth: WithoutTruth
    seed: str
    rules: ReportRules
    log_digest: str

    @property
    def n_eff(self) -> float | None:
        """As how many voters the panel counts, within 1 and their number; None without truth."""
        return None if self.with_truth is None else self.with_truth.panel.counting_as

    @property
    def cautious_n_eff(self) -> float | None:
        """The smaller of `n_eff` and that of the panel without constant voters."""
        known = self.with_truth
        if known is None or known.without_constant is None:
            return self.n_eff
        both = (known.panel.counting_as, known.without_constant.counting_as)
        return min((one for one in both if one is not None), default=None)

    def to_json(self) -> JsonObject:
        """Return the whole report as JSON; estimates are numbers, weights are exact."""
        head: dict[str, Json] = {
            "v": REPORT_VERSION,
            "kind": "independence",
            "n_eff": self.n_eff,
            "cautious_n_eff": self.cautious_n_eff,
            "says": list(self.says()),
        }
        return {**head, **{one.name: encode(getattr(self, one.name)) for one in fields(self)}}

    @classmethod
    def from_json(cls, data: object) -> IndependenceReport:
        """Read a report that :meth:`to_json` wrote.

        Args:
            data: the JSON object.

        Returns:
            An equal report.

        Raises:
            InvalidInput: for another kind or version, and for wrong fields, all at once.
        """
        is_ours = (
            isinstance(data, Mapping)
            and data.get("kind") == "independence"
            and type(data.get("v")) is int
            and data.get("v") == REPORT_VERSION
        )
        if not isinstance(data, Mapping) or not is_ours:
            allowed = f"an object with kind = 'independence' and v = {REPORT_VERSION}"
            next_step = "give what a report's to_json wrote"
            raise InvalidInput(Fault("report", f"is {shown(data)}", allowed, next_step))
        body = {name: item for name, item in data.items() if name not in _DERIVED}
        return decode(cls, body, where="report")

    def __str__(self) -> str:
        """Return the report in plain words."""
        lines = [f"{self.headline}.", *self.says()]
        if self.warnings:
            lines += ["", "Warnings"]
            lines += [f"  - {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def says(self) -> tuple[str, ...]:
        """Return what the report says beside its headline and warnings, a sentence each."""
        return sentences(self.with_truth, self.without_truth)

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        data: dict[str, Json] = {"kind": "independence", "says": self.headline}
        for number, line in enumerate(self.says(), 1):
            data[str(number)] = line
        for number, line in enumerate(self.warnings, 1):
            data[f"warning {number}"] = line
        return as_html(data)


def independence(
    log: VoteLog,
    *,
    truth: Mapping[str, str] | None = None,
    weights: Mapping[str, Exact] | None = None,
    seed: str = "0",
    rules: ReportRules | Mapping[str, object] | None = None,
) -> IndependenceReport:
    """Report whether the voters of a log err independently.

    Args:
        log: past votes, perhaps with their truth.
        truth: item -> right answer, in place of the truth of the log. It must come from
            elsewhere, never from the votes.
        weights: voter -> weight, in place of the weights of the log.
        seed: the seed of everything that is drawn.
        rules: the limits, or those that are not the default by name.

    Returns:
        The report.

    Raises:
        InvalidInput: with every fault; also when the truth is to be the panel's own majority or
            its Dawid-Skene labels.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> errors = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
        >>> rows = [
        ...     (str(item), voter, "no" if item in wrong else "yes")
        ...     for voter, wrong in errors.items()
        ...     for item in range(1, 11)
        ... ]
        >>> report = independence(
        ...     vote_log(rows), truth={str(item): "yes" for item in range(1, 11)}
        ... )
        >>> report.headline
        '3 voters, counting as 1.3'
    """
    chosen = _read_rules(rules)
    if not isinstance(seed, str):
        raise InvalidInput(Fault("seed", f"is {shown(seed)}", "a text", "give the seed as text"))
    if isinstance(truth, str):
        raise InvalidInput(_text_fault(truth))
    judged = log.judged(truth, weights)
    model = fitted_model(judged, seed=seed, starts=chosen.starts)
    alone = without_truth(judged, model, seed=seed, rules=chosen)
    known = None
    if judged.truth is not None and any(one is not None for one in judged.truth):
        known = with_truth(judged, seed=seed, rules=chosen)
    own = own_labels(judged, model)
    return IndependenceReport(
        headline=headline(judged, known, alone, own),
        warnings=warnings_of(judged, known, alone, chosen, own),
        items=len(judged.items),
        voters=judged.voters,
        options=judged.options,
        weights=judged.weights,
        with_truth=known,
        without_truth=alone,
        seed=seed,
        rules=chosen,
        log_digest=judged.digest,
    )


def _text_fault(truth: str) -> Fault:
    own = own_truth_fault(truth)
    whole = Fault(
        "truth", f"is the text {shown(truth)}", "item -> right answer", "give the answers by item"
    )
    return own or whole


def _read_rules(rules: ReportRules | Mapping[str, object] | None) -> ReportRules:
    if rules is None or isinstance(rules, ReportRules):
        return rules or ReportRules()
    known = [one.name for one in fields(ReportRules)]
    faults = [
        Fault("rules", f"name {shown(name)}", ", ".join(known), did_you_mean(str(name), known))
        for name in rules
        if name not in known
    ]
    try:
        found = ReportRules(**{name: one for name, one in rules.items() if name in known})  # type: ignore[arg-type]  # it checks each itself
    except InvalidInput as error:
        raise InvalidInput([*faults, *error.faults]) from None
    raise_if(faults)
    return found
