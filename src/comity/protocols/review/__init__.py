"""Review: reviewers approve or block with a reason, and blocks cannot go round for ever.

Here: the review protocol's parts.
Not here: who answers (agents/), the loop (runner/), what is shown (render/).
Sources: SEMANTICS W1-W6.
"""
