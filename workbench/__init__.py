"""A database-backed workbench for statistical relational learning.

>>> import workbench as wb
>>> with wb.open() as ws:
...     result = ws.infer("rules.mln", query="Smokes")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "RelationalClassifier",
    "RelationalRegressor",
    "Workspace",
    "__version__",
    "connect",
    "open",
    "register_function",
    "reproduce",
]

if TYPE_CHECKING:
    from experiments import reproduce
    from workbench.estimators import RelationalClassifier, RelationalRegressor
    from workbench.language import register_function
    from workbench.service.client import connect
    from workbench.workspace import Workspace
    from workbench.workspace import open_workspace as open


def __getattr__(name: str) -> Any:
    """Public names, imported when first asked for: `import workbench` itself stays quick."""
    if name == "open":
        from workbench.workspace import open_workspace

        return open_workspace
    if name == "Workspace":
        from workbench.workspace import Workspace

        return Workspace
    if name == "connect":
        from workbench.service.client import connect

        return connect
    if name == "register_function":
        from workbench.language import register_function

        return register_function
    if name == "reproduce":
        from workbench.resources import require_experiments

        require_experiments()
        from experiments import reproduce

        return reproduce
    if name in ("RelationalClassifier", "RelationalRegressor"):
        from workbench import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'workbench' has no attribute '{name}'")
