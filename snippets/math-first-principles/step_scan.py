# --8<-- [start:scan]
import numpy as np

from infra_ref.numerics import gradients


def f(x):                                        # f'(3/4) = 0.512
    return x / np.sqrt(1 + x * x)


for dtype, last in ((np.float32, 7), (np.float64, 13)):
    digits = []
    for k in range(1, last + 1):                 # steps 0.1, 0.01, …
        slope = gradients.central_difference(
            f, dtype(0.75), step=10.0**-k)
        error = abs(float(slope) / 0.512 - 1)
        digits.append(int(-np.log10(error)))
    print(f"{dtype.__name__}: correct digits {digits}")
# --8<-- [end:scan]
