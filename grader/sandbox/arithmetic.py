"""The arithmetic of another processor, for a launcher of jails with numpy: last digits of products and functions differ."""

from __future__ import annotations

import importlib


def older_arithmetic() -> dict[str, str]:
    """Return the variables with which numpy and OpenBLAS use no instructions beyond those of any 64-bit processor.

    Names: OpenBLAS, "Runtime detection" (OPENBLAS_CORETYPE); numpy, "Runtime dispatcher" (NPY_DISABLE_CPU_FEATURES, which
    takes only what this numpy dispatches and this processor has).
    """
    numpy = importlib.import_module(
        "numpy._core._multiarray_umath"
    )  # late: only assignments with arrays need it
    known: list[str] = numpy.__cpu_dispatch__
    there: dict[str, bool] = numpy.__cpu_features__
    return {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in known if there.get(name)),
    }
