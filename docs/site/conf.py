"""How Sphinx makes the site; scripts/docs has laid out the pages."""

import mimetypes
import os
import sys

from sphinx.builders.html import StandaloneHTMLBuilder

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sources import slug  # noqa: E402

mimetypes.add_type("image/webp", ".webp")
StandaloneHTMLBuilder.supported_image_types = [*StandaloneHTMLBuilder.supported_image_types, "image/webp"]

project = "continua"
version = release = os.environ.get("CONTINUA_VERSION", "")
copyright = "the authors of continua; MIT licence"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 5
myst_linkify_fuzzy_links = False
html_theme = "furo"
html_title = "continua"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {"sidebar_hide_name": False}
suppress_warnings = ["myst.header"]  # examples may begin at a lower heading
highlight_language = "none"
myst_heading_slug_func = slug
