"""What the site does to the pages: formulas become MathML, names of functions links to their lines."""

import glob
import os
import re
import sys
import unittest
from xml.dom import minidom

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "docs", "site"))

import formulas  # noqa: E402
from sources import Sources, slug  # noqa: E402


class Formulas(unittest.TestCase):
    def inside(self, text):
        return formulas.mathml(text)[len("<math><mrow>"):-len("</mrow></math>")]

    def test_indices(self):
        self.assertEqual(self.inside("m_i"), "<msub><mi>m</mi><mrow><mi>i</mi></mrow></msub>")
        self.assertEqual(self.inside("v_iⁿ"), "<msubsup><mi>v</mi><mrow><mi>i</mi></mrow><mrow><mi>n</mi></mrow></msubsup>")
        self.assertEqual(self.inside("D⁻¹"), "<msup><mi>D</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>")
        self.assertEqual(self.inside("s_trial"), "<msub><mi>s</mi><mrow><mtext>trial</mtext></mrow></msub>")

    def test_a_comma_after_an_index_is_none_of_it(self):
        self.assertEqual(self.inside("r_a, b"), "<msub><mi>r</mi><mrow><mi>a</mi></mrow></msub><mo>,</mo><mi>b</mi>")
        self.assertIn("<mi>n</mi><mo>,</mo><mi>p</mi></mrow></msub>", self.inside("v_n,p"))

    def test_exponents_in_brackets(self):
        power = self.inside("2^((1+h)/2)")
        self.assertTrue(power.startswith("<msup><mn>2</mn><mrow><mrow>"), power)
        self.assertTrue(power.endswith("<mo>/</mo><mn>2</mn></mrow></msup>"), power)

    def test_roots_and_accents(self):
        self.assertEqual(self.inside("√2"), "<msqrt><mn>2</mn></msqrt>")
        self.assertEqual(self.inside("√(d−1)"), "<msqrt><mi>d</mi><mo>−</mo><mn>1</mn></msqrt>")
        self.assertEqual(self.inside("v̂"), '<mover accent="true"><mi>v</mi><mo>^</mo></mover>')

    def test_products_have_room_and_signs_have_their_own(self):
        self.assertIn("mspace", self.inside("w m"))
        self.assertNotIn("mspace", self.inside("w + m"))

    def test_columns(self):
        table = formulas.table("a   = 1        Smith 2001)\nbcd = 2\n")
        self.assertEqual(table.count("<tr>"), 2)
        self.assertEqual(len(re.findall(r"<td[^>]*><math><mrow><mo>=</mo>", table)), 2)
        self.assertIn('<td class="words">Smith 2001)</td>', table)

    def test_drawings_and_tables_of_words_stay(self):
        self.assertFalse(formulas.is_formula("  +--^--+   p = 1\n  | x = 2 |\n"))
        self.assertFalse(formulas.is_formula("ct_world   common   definition\n"))
        self.assertTrue(formulas.is_formula("J ← J exp(dt tr C)\n"))

    def test_every_formula_of_the_pages(self):
        """Each becomes XML that is whole, and loses no letter or digit."""
        count = 0
        for path in glob.glob(os.path.join(ROOT, "docs", "theory", "*.md")):
            with open(path, encoding="utf-8") as file:
                blocks = re.findall(r"(?ms)^```\n(.*?)^```", file.read())
            for block in filter(formulas.is_formula, blocks):
                text = "".join(node.data for node in texts_in(minidom.parseString(formulas.table(block))))
                for kind in (r"[A-Za-z]", r"[0-9]"):
                    self.assertEqual(sorted(re.findall(kind, plain(text))), sorted(re.findall(kind, plain(block))), "%s: %s" % (path, block))
                count += 1
        self.assertGreater(count, 50)


def plain(text):
    return "".join(formulas.SUPERSCRIPTS.get(c, formulas.SUBSCRIPTS.get(c, c)) for c in text)


def texts_in(node):
    for child in node.childNodes:
        if child.nodeType == child.TEXT_NODE:
            yield child
        else:
            yield from texts_in(child)


class Links(unittest.TestCase):
    def test_functions(self):
        sources = Sources(ROOT, ["src/step.c", "src/mpm/step.c", "include/continua/continua.h"])
        with open(os.path.join(ROOT, "src", "step.c"), encoding="utf-8") as file:
            line = next(n for n, text in enumerate(file, 1) if re.match(r"\w.*\bct_step\(", text))
        self.assertEqual(sources.address("src/step.c: ct_step", "docs/theory/step.md"), f"../../src/step.c.html#line-{line}")
        self.assertEqual(sources.address("continua.h", "README.md"), "include/continua/continua.h.html")
        self.assertIsNone(sources.address("step.c", "docs/manual.md"), "two files are called so")
        self.assertIsNone(sources.address("src/none.c", "docs/manual.md"))

    def test_anchors(self):
        self.assertEqual(slug("Schemes: one formula"), "schemes-one-formula")
        self.assertEqual(slug("[A link](to.md) and `code`"), "a-link-and-code")


if __name__ == "__main__":
    unittest.main()
