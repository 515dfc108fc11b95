# --8<-- [start:outlier]
from infra_ref.numerics.block_scale import mxfp4

for block in ([0.02, -0.31, 0.25, 0.8], [0.02, -0.31, 0.25, 7.0]):
    stored = mxfp4.quantize(block)
    print("values", block)
    print("scale ", float(stored.scales()[0]))
    print("back  ", [float(x) for x in stored.dequantize()])
# --8<-- [end:outlier]
assert [float(x) for x in stored.dequantize()] == [0, -0.5, 0, 6]
