# --8<-- [start:limit]
import numpy as np

from infra_ref.numerics import formats, softmax

np.seterr(over="ignore")
for name, kind in (("fp32", np.float32), ("fp16", np.float16)):
    number_format = formats.FORMATS[name]
    last = kind(float(softmax.exp_overflow_threshold(number_format)))
    after = np.nextafter(last, kind(np.inf))
    top = kind(np.log(float(number_format.max)))
    for label, x in ("last", last), ("next", after), ("ln(max)", top):
        ok = bool(np.isfinite(np.exp(x)))
        print(f"{name} {label:8}{float(x):<18} finite: {ok}")
# --8<-- [end:limit]
    assert np.isfinite(np.exp(last))
    assert after == top
    assert not np.isfinite(np.exp(top))
assert np.isfinite(np.exp(np.float32(88)))
