"""Draw the head of a page as a small PNG: draw_page.py PAGE PICTURE [WIDTH HEIGHT], by chromium."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COLOURS = 160


def main(page: Path, picture: Path, width: int = 1160, height: int = 826) -> None:
    """Draw what a window of this size shows, in light colours."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is on this machine")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}", f"--window-size={width},{height}"]
        options += [f"--screenshot={shot}", page.absolute().as_uri()]
        subprocess.run([browser, *options], check=True, capture_output=True)
        with Image.open(shot) as image:
            image.convert("RGB").quantize(COLOURS).save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
