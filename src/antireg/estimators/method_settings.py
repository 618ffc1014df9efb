"""The settings of an estimator's method, as settings of the estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from antireg.estimators.doubting import doubt_setting
from antireg.methods import METHODS, Method, as_method


class MethodSettings(BaseEstimator):
    """`method__…` is a setting of the method, even of one given by name.

    Values that the method shows after training are attributes, as DARE's `threshold_`.
    """

    method: Method | str

    if not TYPE_CHECKING:  # else mypy would accept any misspelt attribute

        def __getattr__(self, name: str) -> float:
            """Return the value that the method shows under this name."""
            trained, missing = vars(self).get("method_"), f"no attribute {name!r}"
            if trained is not None:
                values = {f"{one.name}_": one.value for one in trained.shown()}
                if name in values:
                    return values[name]
                missing += f" when trained by {type(trained).__name__}"
            elif name.endswith("_") and not name.startswith("_"):
                raise NotFittedError(f"{type(self).__name__} has {missing} before fit.")
            raise AttributeError(f"{type(self).__name__} has {missing}.")

    def _chosen_method(self) -> Method:
        """Return the method, "auto" replaced by what suits the setting `doubt`."""
        if isinstance(self.method, str) and self.method == "auto":
            return as_method("dare" if doubt_setting(self) is None else "deep_ensemble")
        return as_method(self.method)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings; with `deep`, also those of a method given by name."""
        settings: dict[str, Any] = super().get_params(deep=False)
        settings["doubt"] = doubt_setting(self)
        known = isinstance(self.method, str) and self.method in ("auto", *METHODS)
        if deep and (known or isinstance(self.method, Method)):
            inner = self._chosen_method().get_params(deep=True)
            settings |= {f"method__{name}": value for name, value in inner.items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name; `method__…` changes the method's own."""
        if "method" in settings:
            self.method = settings.pop("method")
        if any(name.startswith("method__") for name in settings):
            self.method = self._chosen_method()
        super().set_params(**settings)
        return self
