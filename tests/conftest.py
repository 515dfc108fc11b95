"""Shared by all tests: the LaTeX of a page's formula reaches the test that the page names."""

import pytest
from hypothesis import settings

from infra_ref.publish import formula

pytest_plugins = ["pytester"]
settings.register_profile("project", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("project")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    formula.parametrize(metafunc)
