"""Pages of the site that are no files of docs/, and links to them; a hook of mkdocs.yml.

- Markdown files of other folders, under project/.
- The library: a page for each package, which mkdocstrings fills from the source code.
- Notebooks: their text and code, and what they show where they have been run into build/notebooks.

A link to any of these files leads to its page. A file that is no page is named without a link.
"""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PROJECT = {
    "README.md": "project/overview.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "data/README.md": "project/data.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
SITES = {site: path for path, site in PROJECT.items()}
# Code is left as it is; then links and pictures: text and target.
LINKS = re.compile(r"^```.*?^```|`[^`\n]+`|(!?)\[([^\]]*)\]\(([^)\s]+)\)", re.M | re.S)
CELL_CODE = re.compile(r"`[^`\n]*`")
STYLE = re.compile(r"<style.*?</style>", re.S)
LIBRARY = """\
# nlmt.{name}

::: nlmt.{name}
    options: {{show_submodules: {modules}}}
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    pages = {site: (ROOT / path).read_text(encoding="utf-8") for path, site in PROJECT.items()}
    for package in sorted((ROOT / "src/nlmt").glob("*/__init__.py")):
        name = package.parent.name
        if name != "cli":  # docs/commands.md has it
            modules = "__all__" not in package.read_text(encoding="utf-8")  # nlmt.io
            pages[f"library/{name}.md"] = LIBRARY.format(name=name, modules=str(modules).lower())
    for notebook in sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        run = ROOT / "build/notebooks" / notebook.name
        pages[f"notebooks/{notebook.stem}.md"] = notebook_page(run if run.exists() else notebook)
    findings = ROOT / "src/nlmt/report/templates/findings.css"
    pages["assets/findings.css"] = findings.read_text(encoding="utf-8")
    for site, text in pages.items():
        files.append(File.generated(config, site, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Have links lead to pages, and pipes in code of tables be pipes."""
    site = page.file.src_uri
    here = posixpath.dirname(SITES.get(site, f"docs/{site}"))

    def replaced(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        if target is None or "://" in target or target.startswith("#"):
            return match[0]
        path, _, anchor = target.partition("#")
        found = page_of(posixpath.normpath(posixpath.join(here, path)))
        if found is None:
            return text
        link = posixpath.relpath(found, posixpath.dirname(site) or ".")
        return f"{mark}[{text}]({link}{'#' + anchor if anchor else ''})"

    lines = LINKS.sub(replaced, markdown).split("\n")
    return "\n".join(unescaped(line) if line.startswith("|") else line for line in lines)


def page_of(path: str) -> str | None:
    """The place in the site of a file of the repository; None: it has none."""
    if path.startswith("docs/") or not (ROOT / path).exists():
        return path.removeprefix("docs/")  # one that is missing is reported by MkDocs
    return PROJECT.get(path)


def unescaped(row: str) -> str:
    r"""A row of a table without the escape of pipes in code (`\|`), which GitHub needs."""
    return CELL_CODE.sub(lambda code: code[0].replace("\\|", "|"), row)


def notebook_page(path: Path) -> str:
    """A notebook as Markdown."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        else:
            parts.append(f"```python\n{text}\n```")
            parts += [shown(output) for output in cell["outputs"]]
    download = f"[Download this notebook]({path.name}){{ download }}"
    return "\n\n".join([*parts, download]) + "\n"


def shown(output: dict[str, Any]) -> str:
    """The output of a cell: a picture, a table, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        return f'<p><img alt="" src="data:image/png;base64,{data["image/png"]}"></p>'
    if "text/html" in data:
        table = STYLE.sub("", data["text/html"])
        return f'<div class="shown">\n{table}\n</div>'
    text = output["text"] if "text" in output else data["text/plain"]
    return f"```text\n{text.rstrip()}\n```"
