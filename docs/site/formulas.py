"""Sets the formulas of the theory pages. They are written as text, `m_i v_i = Σ_p w m_p v_p`, which reads well in any editor;
on the site they become MathML, which browsers draw without a library.

A block of lines becomes a table: whatever is three or more blanks apart is a cell of its own, and what begins at the
same place of two lines stands in one column.
"""

import html
import re
import unicodedata

SUPERSCRIPTS = {"⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9", "⁺": "+",
                "⁻": "−", "ⁿ": "n", "ᵀ": "T"}
SUBSCRIPTS = {"₀": "0", "₁": "1", "₂": "2", "₃": "3", "₄": "4", "₅": "5", "₆": "6", "₇": "7", "₈": "8", "₉": "9", "₊": "+", "₋": "−"}
PRIMES = {"'": "′", "′": "′", "″": "″"}
ACCENTS = {"\u0302": "^", "\u0304": "¯", "\u0307": "˙", "\u0303": "~"}
SIGNS = "=≤≥<>←≈≠→↔"
LARGE = "ΣΠ∫"
MATHEMATICAL = re.compile("[=≤≥←↔≈Σ∫∇√·×²³ⁿᵀ⁻∂₀₁₂α-ωΦΨ]|\\b[A-Za-z]_[a-z]")
DRAWING = re.compile(r"\+-|-\+|\|\s+\||\\__")
CODE = re.compile(r"`?\b(?:src|app|tests|bench|include)/[\w./-]+(?:: *[\w, ]+)?`?|\b[\w-]+\.md\b|`[^`]+`")
BRACKET = '<mo stretchy="false">%s</mo>'
WORDS = ("max", "min", "sym", "rel", "new", "old", "ext", "int", "tot", "eff")  # as indices; other short ones are letters
CELLS = re.compile(r"\S+(?: {1,2}\S+)*")


def is_formula(block):
    """Whether a block without a language is a formula, not a drawing, a command or a table of words."""
    lines = [line for line in block.split("\n") if line.strip()]
    if any(DRAWING.search(line) for line in lines):
        return False
    return sum(bool(MATHEMATICAL.search(line)) for line in lines) * 2 >= len(lines)


# ---- One cell ----------------------------------------------------------------------------------------------------------------


def is_prose(text):
    """Words, a citation, a file: not to be set as a formula."""
    if "src/" in text or ".md" in text or "Eq." in text or re.search(r"\b(19|20)\d\d\)", text):
        return True
    words = sum(len(word) for word in re.findall(r"[A-Za-z]{3,}", text))
    return words * 2 > len(text.replace(" ", ""))


def is_letter(character):
    return character.isalpha() and character not in LARGE and character not in SUPERSCRIPTS or character in "∇∂∞½"


class Reader:
    """Reads a formula from left to right."""

    def __init__(self, text):
        self.text, self.at = unicodedata.normalize("NFD", text), 0

    def peek(self, ahead=0):
        return self.text[self.at + ahead:self.at + ahead + 1]

    def match(self, pattern):
        found = re.compile(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def row(self, end=""):
        """All up to the bracket `end`, which is left."""
        parts, was_operand = [], False
        while self.peek() and self.peek() != end:
            if self.match(" +"):
                if was_operand and self.peek() and (is_letter(self.peek()) or self.peek() in "([|√" + LARGE):
                    parts.append('<mspace width="0.22em"/>')
                continue
            part, was_operand = self.part()
            parts.append(part)
        return "".join(parts)

    def part(self):
        """The next atom with its indices, and whether something may be multiplied by it."""
        character = self.peek()
        base = self.atom()
        is_sign = character in SIGNS + "+−-/·×,;:" or character in "<>"
        if is_sign:
            return base, False
        return self.indices(base), character not in LARGE + "["

    def atom(self):
        character = self.peek()
        if self.match("√"):
            if self.match(r"\("):
                inside = self.row(")")
                self.match(r"\)")
                return f"<msqrt>{inside}</msqrt>"
            return f"<msqrt>{self.part()[0]}</msqrt>"
        if self.match(r"\("):
            inside = self.row(")")
            return f'<mrow>{BRACKET % "("}{inside}{BRACKET % ")" if self.match(r"[)]") else ""}</mrow>'
        if character in LARGE:
            self.at += 1
            sign = {"Σ": "∑", "Π": "∏", "∫": "∫"}[character]
            return f'<mo largeop="true" movablelimits="false">{sign}</mo>'
        number = self.match(r"\d+(?:\.\d+)?(?:e-?\d+)?")
        if number:
            return f"<mn>{number[0]}</mn>"
        word = self.match(r"[A-Za-z]{2,}(?![\u0300-\u036f])")
        if word:
            return f'<mi mathvariant="normal">{word[0]}</mi>' if len(word[0]) < 4 else f"<mtext>{word[0]}</mtext>"
        self.at += 1
        if is_letter(character):
            base = f"<mi>{character}</mi>"
            while self.peek() and self.peek() in ACCENTS:
                base = f'<mover accent="true">{base}<mo>{ACCENTS[self.peek()]}</mo></mover>'
                self.at += 1
            return base
        return BRACKET % character if character in ")[]{}|" else f"<mo>{html.escape(character)}</mo>"

    def indices(self, base):
        below, above = "", ""
        while self.peek():
            if self.match("_"):
                below += self.lower()
            elif self.match(r"\^\("):
                above += self.row(")")
                self.match(r"\)")
            elif self.match(r"\^"):
                above += self.atom()
            elif self.peek() in SUPERSCRIPTS:
                above += self.run(SUPERSCRIPTS)
            elif self.peek() in SUBSCRIPTS:
                below += self.run(SUBSCRIPTS)
            elif self.peek() in PRIMES:
                above += f"<mo>{PRIMES[self.peek()]}</mo>"
                self.at += 1
            elif self.peek() == "*" and not self.peek(1).isalnum():
                above += "<mo>*</mo>"
                self.at += 1
            else:
                break
        if below and above:
            return f"<msubsup>{base}<mrow>{below}</mrow><mrow>{above}</mrow></msubsup>"
        if below:
            return f"<msub>{base}<mrow>{below}</mrow></msub>"
        return f"<msup>{base}<mrow>{above}</mrow></msup>" if above else base

    def lower(self):
        """What stands after a _: in braces, or letters with commas between them."""
        if self.match(r"\{"):
            inside = self.row("}")
            self.match(r"\}")
            return inside
        found = self.match(r"[A-Za-z0-9α-ω]+(?:,[A-Za-z0-9]+)*")
        if not found:
            return ""
        if re.search("[a-z]{4,}", found[0]) or found[0] in WORDS:
            return f"<mtext>{found[0]}</mtext>"
        return "".join(f"<mn>{part}</mn>" if part.isdigit() else f"<mo>{part}</mo>" if part == "," else f"<mi>{part}</mi>"
                       for part in re.findall(r"\d+|\D", found[0]))

    def run(self, table):
        text = ""
        while self.peek() and self.peek() in table:
            text += table[self.peek()]
            self.at += 1
        kinds = {True: "mo", False: "mi"}
        return "".join(f"<mn>{part}</mn>" if part.isdigit() else "<{0}>{1}</{0}>".format(kinds[part in "+−"], part)
                       for part in re.findall(r"\d+|\D", text))


def mathml(text):
    return f"<math><mrow>{Reader(text).row()}</mrow></math>"


def prose(text):
    return html.escape(text, quote=False)


# ---- A block -----------------------------------------------------------------------------------------------------------------


def cells_of(line, signs):
    """[(column of text, text)] of a line; `signs`: places of signs that stand below each other."""
    found = []
    for cell in CELLS.finditer(line):
        begin = cell.start()
        for place in signs:
            if begin < place < cell.end() and line[place] in SIGNS and line[place - 1] == " ":
                found.append((begin, line[begin:place].rstrip()))
                begin = place
        found.append((begin, line[begin:cell.end()]))
    return [(begin, text) for begin, text in found if text]


def aligned_signs(lines):
    count = {}
    for line in lines:
        for match in re.finditer("(?<= )[=≤≥≈←↔](?= )", line):
            count[match.start()] = count.get(match.start(), 0) + 1
    return sorted(place for place, times in count.items() if times > 1)


def table(block, link=prose):
    """The HTML of a block. `link`: makes HTML of words that may name a file."""
    lines = [line.rstrip() for line in block.split("\n")]
    lines = [line for line in lines if line]
    signs = aligned_signs(lines)
    rows = [cells_of(line, signs) for line in lines]
    columns = sorted({begin for row in rows for begin, _ in row})
    out = ['<div class="formula"><table>']
    for row in rows:
        out.append("<tr>")
        at = 0
        for number, (begin, text) in enumerate(row):
            place = columns.index(begin)
            if place > at:
                out.append(f'<td colspan="{place - at}"></td>' if place - at > 1 else "<td></td>")
            end = columns.index(row[number + 1][0]) if number + 1 < len(row) else len(columns)
            span = f' colspan="{end - place}"' if end - place > 1 else ""
            if is_prose(text):
                out.append(f'<td class="words"{span}>{link(text)}</td>')
            else:
                out.append(f"<td{span}>{mathml(text)}</td>")
            at = end
        out.append("</tr>")
    out.append("</table></div>")
    return "".join(out)
