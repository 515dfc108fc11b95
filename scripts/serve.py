"""Serve the built site on this machine: `serve.py PORT`; `serve.py --free PORT` only says whether the port is free."""

import functools
import http.server
import sys
from pathlib import Path

SITE = Path(__file__).parents[1] / "site"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files without a line for each request."""

    def log_message(self, *arguments: object) -> None:
        pass


def main() -> int:
    *options, text = sys.argv[1:]
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        print(f"PORT must be a number from 1 to 65535, not {text!r}.", file=sys.stderr)
        return 2
    port = int(text)
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(SITE)))
    except OSError as error:
        print(f"Port {port} cannot be used ({error.strerror}); try another: make site PORT={port + 1}", file=sys.stderr)
        return 1
    with server:
        if options == ["--free"]:
            return 0
        print(f"The site is at http://127.0.0.1:{port}/ until you press Ctrl-C.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
