"""Pages of the sources that the documentation names: `src/step.c: ct_step` becomes a link to the line where that function
begins, in a copy of the file with numbered lines."""

import html
import os
import re

REFERENCE = re.compile(r"^([\w./-]+\.(?:c|h|py|mjs|js|cmake|yaml|txt))(?:: *(\w+)(?:, *\w+)*)?$")


def slug(heading):
    """The anchor of a heading, as forges make it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Sources:
    def __init__(self, root, files):
        self.root = root
        self.by_end = {}
        for path in files:
            parts = path.split("/")
            for first in range(len(parts)):
                self.by_end.setdefault("/".join(parts[first:]), []).append(path)
        self.wanted = set()

    def find(self, name, folder=""):
        """The file that a name means: from the root, or the only one whose path ends so."""
        for path in (os.path.normpath(os.path.join(folder, name)), name):
            if path in self.by_end.get(path, []):
                return path
        found = self.by_end.get(name, [])
        return found[0] if len(found) == 1 else None

    def line_of(self, path, function):
        """The line that defines a function, or the first that has its name; 0 where there is none."""
        first = 0
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not re.search(rf"\b{function}\b", line):
                    continue
                first = first or number
                if re.match(rf"\w.*\b{function}\(", line) and not line.rstrip().endswith(";"):
                    return number
        return first

    def address(self, text, page):
        """Where `text`, as in a code span of a page, is to be found: a relative address, or None."""
        reference = REFERENCE.match(text)
        path = reference and self.find(reference[1], os.path.dirname(page))
        if not path:
            return None
        self.wanted.add(path)
        line = self.line_of(path, reference[2]) if reference[2] else 0
        to = os.path.relpath(path + ".html", os.path.dirname(page) or ".")
        return to + (f"#line-{line}" if line else "")

    def write(self, folder):
        """Writes the pages of all files that were asked for."""
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import TextLexer, get_lexer_for_filename
        from pygments.util import ClassNotFound

        style = HtmlFormatter().get_style_defs(".source")
        for path in sorted(self.wanted):
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                text = file.read()
            try:
                lexer = get_lexer_for_filename(path)
            except ClassNotFound:
                lexer = TextLexer()
            body = highlight(text, lexer, HtmlFormatter(cssclass="source", linenos="inline", lineanchors="line", anchorlinenos=True))
            to = os.path.join(folder, path + ".html")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            home = os.path.relpath("index.html", os.path.dirname(path) or ".")
            with open(to, "w", encoding="utf-8") as file:
                file.write(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(path)}</title>\n'
                           f"<style>{style}\nbody {{ font-family: sans-serif; margin: 1em 2em }} .linenos {{ color: #999 }}\n"
                           f"a {{ color: inherit }} :target {{ background: #ffeb9c }}</style>\n"
                           f'<p><a href="{home}">continua</a> / {html.escape(path)}</p>\n{body}</html>\n')
