// Bundles the page and writes it as a C file: `node embed.mjs pages.c`. The list it fills is declared in
// src/view/pages.h. Everything is compressed here, once, since every browser takes gzip.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];

const bundled = await build({
  entryPoints: [join(here, "src/main.js"), join(here, "src/page.css")],
  outdir: "/",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "eof", // the licences of what is bundled
  write: false,
  logLevel: "warning",
});
const bundle = (name) => bundled.outputFiles.find((file) => file.path.endsWith(name)).contents;

const pages = [
  ["/", "text/html; charset=utf-8", readFileSync(join(here, "src/index.html"))],
  ["/page.js", "text/javascript; charset=utf-8", bundle("main.js")],
  ["/page.css", "text/css; charset=utf-8", bundle("page.css")],
  ["/icon.svg", "image/svg+xml", readFileSync(join(here, "src/icon.svg"))],
];

let arrays = "";
let list = "";
pages.forEach(([path, type, content], index) => {
  const bytes = gzipSync(content, { level: 9 });
  arrays += `static const unsigned char page_${index}[] = {${Array.from(bytes).join(",")}};\n`;
  list += `    {"${path}", "${type}", page_${index}, sizeof page_${index}},\n`;
});
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, `/* Written by web/embed.mjs. */\n#include "view/pages.h"\n\n${arrays}\n` +
  `const ct_page ct_pages[] = {\n${list}    {0},\n};\n`);
