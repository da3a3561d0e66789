"""Tests of the draft: numbered terms, versions, amendments and the difference of two (C2)."""

from __future__ import annotations

import pytest

from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent.draft import Draft, DraftTerm, amend, changes, rewrite, spelled

WORDS = Draft(2, (DraftTerm("Weekly sync", "CC"), DraftTerm("Notes", "CX")))


def amended(draft: Draft, *lines: str, domain: Domain | None = None, by: str = "GM") -> Draft:
    found, faults = amend(draft, lines, by=by, domain=domain)
    assert not faults
    return found


def faults_of(draft: Draft, *lines: str, domain: Domain | None = None) -> list[str]:
    found, faults = amend(draft, lines, by="GM", domain=domain)
    assert found is draft
    return [str(fault) for fault in faults]


def test_c2_a_proposal_adds_its_lines_as_terms_and_makes_the_next_version() -> None:
    draft = amended(WORDS, "Tuesdays", "", "  ")
    assert draft.version == 3
    assert draft.lines == ("Weekly sync", "Notes", "Tuesdays")
    assert [term.by for term in draft.terms] == ["CC", "CX", "GM"]


def test_c2_a_term_that_is_there_already_changes_nothing() -> None:
    assert amended(WORDS, "weekly SYNC") is WORDS


def test_c2_terms_are_rewritten_and_dropped_by_number() -> None:
    draft = amended(WORDS, "TERM 1: Monthly sync", "Drop term 2.")
    assert draft.lines == ("Monthly sync",)
    assert draft.terms[0].by == "GM"


def test_a_number_without_its_colon_is_a_term_in_words() -> None:
    assert amended(WORDS, "Term 2 years of support").lines[-1] == "Term 2 years of support"
    assert amended(WORDS, "Drop term 2 from the contract").version == 3


@pytest.mark.parametrize(
    "line", ["TERM 3: x", "TERM 0: x", "DROP TERM 3", "TERM 1:", "TERM 999999: x"]
)
def test_an_amendment_of_no_term_is_refused_and_nothing_is_applied(line: str) -> None:
    faults = faults_of(WORDS, "Tuesdays", line)
    assert len(faults) == 1
    assert faults[0].startswith("GM: ")


def test_all_faults_of_a_proposal_come_at_once(tls: Domain) -> None:
    faults = faults_of(Draft(), "tls = half", "speed = 3", "DROP TERM 1", domain=tls)
    assert len(faults) == 3
    assert "which is not on offer" in faults[0]
    assert "terms: tls, retries" in faults[1]
    assert "no terms yet" in faults[2]


def test_c2_an_assignment_settles_a_term_of_the_domain_in_its_own_spelling(tls: Domain) -> None:
    draft = amended(Draft(), "RETRIES = 1", "Tls=FULL.", "be kind", domain=tls)
    assert draft.lines == ("tls = full", "retries = 1", "be kind")
    assert draft.deal == {"tls": "full", "retries": "1"}


def test_settling_a_term_again_replaces_it_and_the_same_option_changes_nothing(
    tls: Domain,
) -> None:
    first = amended(Draft(), "tls = full", domain=tls, by="CC")
    assert amended(first, "tls == full", domain=tls) is first
    second = amended(first, "tls = none", domain=tls)
    assert second.lines == ("tls = none",)
    assert second.terms[0].by == "GM"


def test_a_dropped_term_can_be_settled_anew_in_the_same_proposal(tls: Domain) -> None:
    draft = amended(Draft(), "tls = full", "be kind", domain=tls)
    again = amended(draft, "DROP TERM 1", "tls = none", domain=tls)
    assert again.deal == {"tls": "none"}
    assert faults_of(draft, "DROP TERM 2", "TERM 2: be fast", domain=tls)


def test_c4_a_settled_term_cannot_be_hidden_behind_words_that_look_like_it(tls: Domain) -> None:
    draft = amended(Draft(), "tls = full", "be kind", domain=tls)
    for line in ("TERM 1: tls = none", "TERM 2: tls = none", "TERM 2: tls = half"):
        assert "rewrites term" in faults_of(draft, line, domain=tls)[0]
    assert faults_of(draft, "tls = none, retries = 2", domain=tls)
    assert amended(draft, "TERM 2: be fast", domain=tls).lines == ("tls = full", "be fast")


def test_names_may_begin_with_digits_and_hold_spaces_and_dots() -> None:
    domain = domain_of({"2fa": ["yes", "no"], "key size": [128, 256], "vendor": ["Acme Inc."]})
    draft = amended(Draft(), "2fa = yes", "Key size = 256", "vendor = Acme Inc.", domain=domain)
    assert draft.deal == {"2fa": "yes", "key size": "256", "vendor": "Acme Inc."}


def test_a_line_whose_left_side_is_no_name_is_words(tls: Domain) -> None:
    draft = amended(Draft(), "p99 (ms) = 150", domain=tls)
    assert draft.deal == {}
    assert draft.lines == ("p99 (ms) = 150",)
    assert amended(Draft(), "tls = 1.3").deal == {}


def test_c2_a_term_list_replaces_the_draft_and_keeps_who_put_each_term() -> None:
    draft, faults = rewrite(WORDS, ["notes", "", "Tuesdays"], by="GM", domain=None)
    assert not faults
    assert draft.version == 3
    assert [(term.text, term.by) for term in draft.terms] == [("Notes", "CX"), ("Tuesdays", "GM")]


def test_c2_a_list_that_says_the_same_in_another_order_is_no_new_version() -> None:
    assert rewrite(WORDS, ["NOTES", "weekly  sync"], by="GM", domain=None) == (WORDS, ())


def test_a_list_with_a_fault_changes_nothing(tls: Domain) -> None:
    draft, faults = rewrite(WORDS, ["tls = full", "tls = half"], by="GM", domain=tls)
    assert draft is WORDS
    assert len(faults) == 1


def test_the_digest_knows_a_draft_by_what_it_says_not_by_order_spacing_or_capitals() -> None:
    one = Draft(1, (DraftTerm("A  b", "CC"), DraftTerm("C", "CC")))
    other = Draft(7, (DraftTerm("c", "GM"), DraftTerm("a B", "CX")))
    assert one.digest == other.digest
    assert one.digest != WORDS.digest


def test_changes_name_what_is_settled_otherwise_added_and_dropped(tls: Domain) -> None:
    old = amended(Draft(), "tls = full", "be kind", domain=tls)
    new = amended(old, "tls = none", "DROP TERM 2", "be fast", domain=tls)
    assert changes(old, new) == (
        "tls = none instead of tls = full",
        "added: be fast",
        "dropped: be kind",
    )
    assert changes(old, old) == ()


def test_spelled_lines_read_as_in_drafts_and_words_stay(tls: Domain) -> None:
    lines = ["TLS=full", "retries = 9", "thanks"]
    assert spelled(lines, tls) == ("tls = full", "retries = 9", "thanks")
    assert spelled(lines, None) == tuple(lines)


def test_the_json_of_a_draft_numbers_its_terms(tls: Domain) -> None:
    assert amended(Draft(), "be kind", "tls = full", domain=tls).to_json() == {
        "version": 1,
        "terms": [
            {"number": 1, "text": "tls = full", "by": "GM"},
            {"number": 2, "text": "be kind", "by": "GM"},
        ],
        "settled": {"tls": "full"},
    }
