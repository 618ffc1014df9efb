"""Opens a page in a browser window of some width, and asks a script about it."""

import shutil
import subprocess
from pathlib import Path

import pytest


def numbers_of(page: Path, width: int, script: str) -> list[int]:
    """Return what a script says of a page, as whole numbers.

    Args:
        page: An HTML file.
        width: Of its window, in pixels.
        script: A JavaScript list of numbers, in which `page` is the document.
    """
    browser = shutil.which("chromium") or pytest.skip("needs chromium")
    frame = page.parent / "frame.html"
    frame.write_text(
        f'<body><iframe src="{page.name}" width="{width}" height="900"></iframe>'
        "<script>onload=()=>{const page=frames[0].document;"
        f"document.title=({script}).join(' ')}}</script></body>"
    )
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync", f"--user-data-dir={page.parent / 'profile'}",
         "--allow-file-access-from-files", "--dump-dom", f"file://{frame}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    title = done.stdout.partition("<title>")[2].partition("</title>")[0]
    return [int(number) for number in title.split()]
