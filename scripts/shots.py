"""Screenshots of the built site: page x language x width x scheme, into build/shots.

Examples:
    python scripts/shots.py                       # home page and first lecture
    python scripts/shots.py conventions/ --full   # a whole page
    python scripts/shots.py lectures/math-first-principles/ --at "#self-check" --widths 390
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "site"))
from browsing import LANGUAGES, ROOT, SITE, Watch, chromium, served

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def main(options: argparse.Namespace) -> None:
    """Take the pictures; print what the console, the network and the width have to say."""
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    with served(Path(options.site)) as base, chromium() as browser:
        for scheme in options.schemes:
            for width in options.widths:
                size = {"width": width, "height": 844 if width < 600 else 900}
                context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=options.scale)
                watch = Watch(context, base)
                page = context.new_page()
                for lang in options.langs:
                    for path in options.pages:
                        page.goto(f"{base}/{lang}/{path}{options.at}")
                        page.wait_for_timeout(300)
                        if options.run:
                            page.evaluate(options.run)
                            page.wait_for_timeout(300)
                        stem = path.strip("/").replace("/", "-") or "home"
                        file = out / f"{stem}{options.at.replace('#', '-')}-{lang}-{width}-{scheme}.png"
                        page.screenshot(path=file, full_page=options.full)
                        over = page.evaluate(OVERFLOW)
                        print(file, *watch.take(), f"{over} px too wide" if over > 0 else "")
                context.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pages", nargs="*", default=["", "lectures/math-first-principles/"])
    arguments.add_argument("--at", default="", help="anchor to scroll to")
    arguments.add_argument("--run", default="", help="JavaScript to run before the picture is taken")
    arguments.add_argument("--full", action="store_true", help="the whole page, not the first screen")
    arguments.add_argument("--langs", nargs="*", default=list(LANGUAGES))
    arguments.add_argument("--widths", nargs="*", type=int, default=[390, 1440])
    arguments.add_argument("--schemes", nargs="*", default=["light", "dark"])
    arguments.add_argument("--scale", type=float, default=1)
    arguments.add_argument("--site", default=str(SITE))
    arguments.add_argument("--out", default=str(ROOT / "build" / "shots"))
    main(arguments.parse_args())
