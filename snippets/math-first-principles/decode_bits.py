# --8<-- [start:decode]
import struct

bits = "0 10000011 10100000000000000000000"
sign, exponent, mantissa = bits.split()
power = int(exponent, 2) - 127
significand = 1 + int(mantissa, 2) / 2 ** len(mantissa)
print(f"2^{power} x {significand} =", significand * 2**power)

raw = int(bits.replace(" ", ""), 2).to_bytes(4, "big")
print("struct reads the same bits as", struct.unpack(">f", raw)[0])
# --8<-- [end:decode]
assert significand * 2**power == struct.unpack(">f", raw)[0] == 26
