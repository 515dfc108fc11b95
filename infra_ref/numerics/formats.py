r"""Floating-point formats: what a code means, which code a number gets, and how far apart neighbours are.

A code of a format with $e$ exponent bits, $m$ mantissa bits and bias $b$ is split into sign $s$, exponent field $E$ and
mantissa field $M$. A finite code means

$$x = (-1)^s\,2^{E-b}\,(1 + M/2^m) \quad (E > 0), \qquad x = (-1)^s\,2^{1-b}\,M/2^m \quad (E = 0)$$

The first kind is normal, the second subnormal. The families differ only in what the topmost codes mean:

    ieee    all ones in the exponent: infinity (mantissa 0) or NaN
    fn      no infinity; only the very last code of each sign is NaN
    fnuz    no infinity, no negative zero: the code of negative zero is the one NaN
    finite  no infinity, no NaN
    scale   no sign, no zero, no subnormals: powers of two and one NaN (block scales)

All arithmetic is exact (integers and fractions). Finite values are `Fraction`; negative zero, the infinities and NaN
are floats, because a fraction cannot hold them.

Source:
    Field widths, biases and special codes: README of jax-ml/ml_dtypes, "Specifications of implemented floating point
    formats" (opened 2026-11-30). tf32: NVIDIA CUDA Math API reference, `__nv_tf32` (opened 2026-11-30): 1 sign bit,
    8 exponent bits, at least 10 mantissa bits, 32 bits of storage. fp64, fp32 and fp16 are binary64, binary32 and
    binary16 of IEEE 754.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Number = int | float | Fraction
Value = Fraction | float


def floor_log2(x: Fraction) -> int:
    """Largest k with 2^k <= x, for x > 0."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    return k if Fraction(2) ** k <= x else k - 1


@dataclass(frozen=True)
class FloatFormat:
    """One format. `id` names it everywhere; the other numbers follow from the five fields.

    Raises:
        ValueError: an argument outside what the format can take; the message names it and the accepted values.
    """

    id: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    family: str

    @property
    def sign_bits(self) -> int:
        return 0 if self.family == "scale" else 1

    @property
    def bits(self) -> int:
        """Bits that carry information: 19 for tf32, which is stored in 32."""
        return self.sign_bits + self.exponent_bits + self.mantissa_bits

    @property
    def has_subnormals(self) -> bool:
        return self.family != "scale"

    @cached_property
    def emin(self) -> int:
        """Exponent of the smallest normal number."""
        return 1 - self.bias if self.has_subnormals else -self.bias

    @cached_property
    def emax(self) -> int:
        """Exponent of the largest finite number."""
        return floor_log2(self.max)

    @cached_property
    def _max_code(self) -> int:
        top = 1 << (self.exponent_bits + self.mantissa_bits)
        unused = {"ieee": 1 << self.mantissa_bits, "fn": 1, "fnuz": 0, "finite": 0, "scale": 1}
        return top - unused[self.family] - 1

    @cached_property
    def max(self) -> Fraction:
        r"""Largest finite value; for the ieee family $(2 - 2^{-m})\,2^{b}$."""
        return self._magnitude(self._max_code)

    @cached_property
    def min_normal(self) -> Fraction:
        r"""Smallest positive normal value, $2^{1-b}$."""
        return Fraction(2) ** self.emin

    @cached_property
    def min_subnormal(self) -> Fraction:
        r"""Smallest positive value, $2^{1-b-m}$."""
        if not self.has_subnormals:
            raise ValueError(f"{self.id} has no subnormal numbers; its smallest value is min_normal")
        return self.min_normal / (1 << self.mantissa_bits)

    @cached_property
    def epsilon(self) -> Fraction:
        r"""Machine epsilon, $2^{-m}$: the gap between 1 and the next larger value."""
        return Fraction(1, 1 << self.mantissa_bits)

    @cached_property
    def unit_roundoff(self) -> Fraction:
        r"""Unit roundoff, $2^{-(m+1)}$: bound of the relative error of rounding a number in the normal range."""
        return self.epsilon / 2

    @property
    def consecutive_integers(self) -> int:
        r"""Largest $n$ such that $1 \dots n$ are all values: $2^{m+1}$, or $\lfloor \max \rfloor$ if that is less."""
        return min(2 << self.mantissa_bits, math.floor(self.max))

    @property
    def overflow(self) -> str:
        """What `encode` makes of a number that rounds beyond `max`, unless told otherwise.

        The ieee family goes to "infinity", fn, fnuz and scale to "nan", finite formats "saturate" at the largest value.
        This follows the special codes each format has, and is what ml_dtypes does. Libraries differ for fp8_e4m3fn:
        torch 2.13 saturates (1000 and infinity both become 448); ml_dtypes gives NaN, and so did torch before PyTorch
        pull request 178817 of April 2026. Say `overflow="saturate"` or `overflow="nan"` where it matters.
        """
        return {"ieee": "infinity", "fn": "nan", "fnuz": "nan", "finite": "saturate", "scale": "nan"}[self.family]

    @property
    def overflow_modes(self) -> tuple[str, ...]:
        """The modes `encode` and `round` accept: a format without infinity cannot overflow to it."""
        infinity = ("infinity",) if self.family == "ieee" else ()
        nan = () if self.family == "finite" else ("nan",)
        return (*infinity, *nan, "saturate")

    def fields(self, code: int) -> tuple[int, int, int]:
        """Split a code into (sign, exponent field, mantissa field)."""
        self._check_code(code)
        magnitude_bits = self.exponent_bits + self.mantissa_bits
        exponent = (code >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1)
        return code >> magnitude_bits, exponent, code & ((1 << self.mantissa_bits) - 1)

    def decode(self, code: int) -> Value:
        """The number a code means.

        Args:
            code: 0 to 2^bits - 1.
        """
        self._check_code(code)
        magnitude_bits = self.exponent_bits + self.mantissa_bits
        negative = bool(code >> magnitude_bits)
        magnitude = code & ((1 << magnitude_bits) - 1)
        if magnitude > self._max_code:
            is_infinity = self.family == "ieee" and magnitude == self._max_code + 1
            if not is_infinity:
                return math.nan
            return -math.inf if negative else math.inf
        if negative and magnitude == 0:
            return math.nan if self.family == "fnuz" else -0.0
        return -self._magnitude(magnitude) if negative else self._magnitude(magnitude)

    def encode(self, x: Number, *, overflow: str | None = None) -> int:
        """The code of the value nearest to x, ties to the even significand.

        The exact number is rounded once, as if the exponent had no upper end, and only then compared with `max`. So a
        number up to half a gap above `max` does not overflow; the tie itself does if `max` has an odd significand.

        Args:
            x: int, float or Fraction; a float counts as the exact number it holds.
            overflow: "infinity", "nan" or "saturate", where the format has a code for it; default `self.overflow`.
                An infinite x follows the same mode.
        """
        mode = self.overflow if overflow is None else overflow
        if mode not in self.overflow_modes:
            accepted = ", ".join(self.overflow_modes)
            raise ValueError(f"overflow must be one of {accepted} for {self.id}, got {overflow!r}")
        if isinstance(x, bool) or not isinstance(x, int | float | Fraction):
            raise ValueError(f"x must be an int, a float or a Fraction, got {x!r}")
        negative = x < 0 or (isinstance(x, float) and math.copysign(1.0, x) < 0)
        if x != x or (self.family == "scale" and (negative or x == 0)):
            return self._nan_code
        magnitude = self._max_code + 1 if x in (math.inf, -math.inf) else self._nearest(abs(Fraction(x)))
        if magnitude > self._max_code:
            if mode == "nan":
                return self._nan_code
            magnitude = self._max_code + (mode == "infinity")
        if negative and not (self.family == "fnuz" and magnitude == 0):
            return magnitude | 1 << (self.bits - 1)
        return magnitude

    def round(self, x: Number, *, overflow: str | None = None) -> Value:
        """The value nearest to x: `decode(encode(x))`. Arguments as for `encode`."""
        return self.decode(self.encode(x, overflow=overflow))

    def spacing(self, x: Number) -> Fraction:
        r"""Gap between neighbouring values at $|x|$ (one ULP): $2^{\max(\lfloor\log_2|x|\rfloor,\,1-b)-m}$.

        At a power of two it is the gap above; the gap below is half as wide. It never shrinks below the subnormal gap.
        """
        magnitude = abs(Fraction(x)) if math.isfinite(x) else None
        if magnitude is None or magnitude > self.max or (magnitude < self.min_normal and not self.has_subnormals):
            smallest = 0 if self.has_subnormals else float(self.min_normal)
            raise ValueError(f"x must have a magnitude from {smallest} to {float(self.max)} for {self.id}, got {x!r}")
        exponent = self.emin if magnitude < self.min_normal else floor_log2(magnitude)
        return Fraction(2) ** (exponent - self.mantissa_bits)

    def values(self) -> list[Fraction]:
        """All finite values, ascending, each once (the zeros are one value). Only for formats of at most 16 bits."""
        if self.bits > 16:
            raise ValueError(f"values() lists formats of at most 16 bits; {self.id} has {self.bits}")
        positive = [self._magnitude(code) for code in range(self._max_code + 1)]
        return positive if self.family == "scale" else [-v for v in positive[:0:-1]] + positive

    @property
    def _nan_code(self) -> int:
        magnitude_bits = self.exponent_bits + self.mantissa_bits
        if self.family == "finite":
            raise ValueError(f"x must be a number for {self.id}, which has no code for NaN")
        if self.family == "fnuz":
            return 1 << magnitude_bits
        if self.family == "ieee":
            return self._max_code + 1 + (1 << (self.mantissa_bits - 1))
        return (1 << magnitude_bits) - 1

    def _check_code(self, code: int) -> None:
        if not 0 <= code < 1 << self.bits:
            raise ValueError(f"code must be 0 to {(1 << self.bits) - 1} for {self.id}, got {code!r}")

    def _magnitude(self, code: int) -> Fraction:
        exponent, mantissa = divmod(code, 1 << self.mantissa_bits)
        if exponent == 0 and self.has_subnormals:
            return mantissa * self.min_subnormal
        return (1 + Fraction(mantissa, 1 << self.mantissa_bits)) * Fraction(2) ** (exponent - self.bias)

    def _nearest(self, magnitude: Fraction) -> int:
        """Code of the nearest value if the exponent field were wide enough."""
        if magnitude < self.min_normal and not self.has_subnormals:
            return 0
        exponent = self.emin if magnitude < self.min_normal else floor_log2(magnitude)
        significand = round(magnitude / Fraction(2) ** (exponent - self.mantissa_bits))
        hidden = 0 if self.has_subnormals else 1
        return ((exponent - self.emin - hidden) << self.mantissa_bits) + significand


fp64 = FloatFormat("fp64", 11, 52, 1023, "ieee")
fp32 = FloatFormat("fp32", 8, 23, 127, "ieee")
tf32 = FloatFormat("tf32", 8, 10, 127, "ieee")
fp16 = FloatFormat("fp16", 5, 10, 15, "ieee")
bf16 = FloatFormat("bf16", 8, 7, 127, "ieee")
fp8_e4m3_ieee = FloatFormat("fp8_e4m3_ieee", 4, 3, 7, "ieee")
fp8_e4m3fn = FloatFormat("fp8_e4m3fn", 4, 3, 7, "fn")
fp8_e4m3fnuz = FloatFormat("fp8_e4m3fnuz", 4, 3, 8, "fnuz")
fp8_e4m3b11fnuz = FloatFormat("fp8_e4m3b11fnuz", 4, 3, 11, "fnuz")
fp8_e5m2 = FloatFormat("fp8_e5m2", 5, 2, 15, "ieee")
fp8_e5m2fnuz = FloatFormat("fp8_e5m2fnuz", 5, 2, 16, "fnuz")
fp8_e3m4 = FloatFormat("fp8_e3m4", 3, 4, 3, "ieee")
fp6_e3m2fn = FloatFormat("fp6_e3m2fn", 3, 2, 3, "finite")
fp6_e2m3fn = FloatFormat("fp6_e2m3fn", 2, 3, 1, "finite")
fp4_e2m1fn = FloatFormat("fp4_e2m1fn", 2, 1, 1, "finite")
e8m0fnu = FloatFormat("e8m0fnu", 8, 0, 127, "scale")

FORMATS = {
    f.id: f
    for f in (
        fp64, fp32, tf32, fp16, bf16,
        fp8_e4m3_ieee, fp8_e4m3fn, fp8_e4m3fnuz, fp8_e4m3b11fnuz, fp8_e5m2, fp8_e5m2fnuz, fp8_e3m4,
        fp6_e3m2fn, fp6_e2m3fn, fp4_e2m1fn, e8m0fnu,
    )
}  # fmt: skip
