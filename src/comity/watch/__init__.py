"""Watch: is what happens again and again still what was wanted?

Here: the report on recorded claims with its alarms, claimed against realised gain, the weekly
digest, the same claims under other rules, cases that wait for a person.
Not here: the figures (mechanisms/arbitration, mechanisms/sharing), files (formats/), tables and
drawings (render/), sending anything.
Sources: SEMANTICS R5, R6, D3, K4, G8.
"""
