"""The command `infra-ref`. Each command imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Reference code of the InfraRef course.", no_args_is_help=True, add_completion=False)
pages = typer.Typer(help="Check the pages of the course.", no_args_is_help=True)
app.add_typer(pages, name="pages")

Root = Annotated[Path | None, typer.Option(help="Folder of the project; by default the one this package lies in.")]


@app.callback()
def main() -> None:
    """Reference code of the InfraRef course."""


def fail(message: str) -> typer.Exit:
    """Say in one sentence what was wrong with the command."""
    typer.echo(message, err=True)
    return typer.Exit(2)


def project(root: Path | None) -> Path:
    """The folder that holds docs/, with the pages of the course."""
    if root is None:
        from .publish import ROOT

        root = ROOT
    if not (root / "docs").is_dir():
        raise fail(f"no docs/ in {root}: run this in a checkout of the course, or name one with --root")
    return root.resolve()


@pages.command()
def check(
    slug: Annotated[str, typer.Argument(help="One lecture; all pages if left out.")] = "", root: Root = None
) -> None:
    """Check figures, formulas, literals, includes, links, both languages and their lock."""
    from .publish import checks
    from .publish import pages as source

    folder = project(root)
    if not source.load(folder, slug):
        known = sorted({page.slug for page in source.load(folder)} - {""})
        raise fail(f"no page of {slug!r}; lectures: {', '.join(known) or 'none'}")
    count = 0
    for name, problems in checks.run(folder, slug).items():
        for problem in problems:
            typer.echo(f"{problem}  [{name}]")
        count += len(problems)
    number = len(source.load(folder, slug))
    typer.echo(f"{number} pages, {count} problems")
    if count:
        raise typer.Exit(1)


@pages.command("tests")
def named_tests(
    slug: Annotated[str, typer.Argument(help="One lecture; all pages if left out.")] = "", root: Root = None
) -> None:
    """Print the tests that formulas name, one a line."""
    from .publish import pages as source

    found = source.load(project(root), slug)
    for name in sorted({f.how for page in found for f in page.skeleton.formulas if f.kind == "test"}):
        typer.echo(name)


@pages.command()
def accept(
    section: Annotated[
        str, typer.Argument(metavar="SLUG#ID", help="A section; without #ID all sections of a page or lecture.")
    ],
    root: Root = None,
) -> None:
    """Record that a section was read in both languages, so that its lock is renewed."""
    from .publish import lock

    folder = project(root)
    try:
        renewed = lock.accept(section, folder)
    except lock.UnknownSection as error:
        raise fail(str(error)) from None
    for name in renewed:
        typer.echo(f"accepted {name}")
    if not renewed:
        typer.echo("nothing had changed")


if __name__ == "__main__":
    app()
