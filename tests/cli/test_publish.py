"""scripts/reproduction-results: what is published, what counts, and what is stale."""

import importlib.machinery
import importlib.util
import os
import unittest

from support import SOURCE, main

loader = importlib.machinery.SourceFileLoader("results", os.path.join(SOURCE, "scripts", "reproduction-results"))
results = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
loader.exec_module(results)

CHECK = {"say": "it falls", "holds": True, "value": 1.0, "expected": "at least 0.5"}


def trial(name="fall", state="ready"):
    return {"id": name, "title": "A ball falls", "state": state, "reason": "no time" if state == "not_yet" else "", "quick": False,
            "stale": False, "sources": "s1", "definition": "d1"}


def result(**changes):
    one = {"state": "pass", "reason": "", "quick": False, "seconds": 3.0, "seeds": 1, "particles": 100, "commit": "c0ffee", "sources": "s1",
           "definition": "d1", "date": "2026-01-01", "checks": [dict(CHECK)]}
    one.update(changes)
    return one


def merge(found=(), published=None):
    return results.merge([trial(), trial("later", "not_yet")], lambda name: list(found) if name == "fall" else [], {"fall": published} if published else {})


class Publish(unittest.TestCase):
    def test_full_size_is_judged(self):
        found = merge([result()])
        self.assertEqual(results.score(found), "judged 1 of 2, full size: 1 pass, 0 not confirmed, 0 fail; 1 not yet")
        row = results.row(found[0])
        for word in ("full, 100", "c0ffee", "3 s"):
            self.assertIn(word, row)
        self.assertNotIn("stale", row[2])

    def test_reduced_size_is_shown_and_does_not_count(self):
        found = merge([None, result(quick=True)])
        self.assertTrue(results.score(found).startswith("judged 0 of 2, full size: 0 pass"))
        self.assertIn("1 shown, not judged", results.score(found))
        self.assertIn("reduced, 100", results.row(found[0]))

    def test_reduced_size_replaces_no_full_one(self):
        found = merge([None, result(quick=True, state="fail")], result())
        self.assertEqual((found[0]["state"], found[0]["quick"]), ("pass", False))
        found = merge([result(state="fail")], result())
        self.assertEqual(found[0]["state"], "fail", "the control: a newer one of full size does")

    def test_published_results_become_stale(self):
        for change, is_stale in (({}, False), ({"sources": "s0"}, True), ({"definition": "d0"}, True), ({"sources": None}, True)):
            found = merge([], result(**change))
            self.assertEqual(found[0]["stale"], is_stale, change)
            self.assertEqual("*stale*" in results.row(found[0])[2], is_stale)
            self.assertEqual("1 of them stale" in results.score(found), is_stale and change.get("sources", "") is not None)

    def test_results_without_sources_do_not_count(self):
        self.assertTrue(results.score(merge([], result(sources=None))).startswith("judged 0 of 2"))

    def test_nothing_is_known(self):
        found = merge()
        self.assertIn("1 not run", results.score(found))
        self.assertEqual(results.row(found[0])[2], "not run")

    def test_not_confirmed_is_counted_apart(self):
        check = dict(CHECK, holds=False, not_confirmed="it floats", n=5, spread=0.2, interval=0.25, fails_for="other")
        found = merge([result(state="not_confirmed", checks=[check, CHECK])])
        self.assertIn("0 pass, 1 not confirmed, 0 fail", results.score(found))
        text = "\n".join(results.numbers(found))
        self.assertIn("| *not confirmed* | it falls | 1 ± 0.25 (n 5, spread 0.2) |", text)
        self.assertEqual(results.controls(found), "Of 2 checks that were made 1 have a control, 1 have none.")

    def test_the_readme_has_the_score(self):
        found = {"reproduce": merge([result()]), "verify": merge([result(state="fail")])}
        self.assertIn("Known truths: judged 1 of 2, full size: 0 pass, 0 not confirmed, 1 fail", results.score_line(found))
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as stream:
            self.assertIn("full size", stream.read().split("<!-- score -->")[1].split("<!-- end -->")[0])


if __name__ == "__main__":
    main()
