# --8<-- [start:step]
from infra_ref import hardware
from infra_ref.ledger import gemm

gpu = hardware.accelerator("h100-sxm")
tokens, inputs, outputs = 8 * 2048, 4096, 16384
products = {"Y  = X W   ": (tokens, outputs, inputs),
            "dX = dY W^T": (tokens, inputs, outputs),
            "dW = X^T dY": (inputs, outputs, tokens)}
for name, (m, n, k) in products.items():
    flops = gemm.flops(m=m, n=n, k=k)
    nbytes = gemm.min_bytes(m=m, n=n, k=k, itemsize=2)
    compute = (flops / gpu.peak(dtype="bf16")).m_as("ms")
    memory = (nbytes / gpu.memory_bandwidth).m_as("ms")
    print(f"{name} {m:>5} x {n:>5} x {k:>5}", f"{flops.m:.3e} FLOP",
          f"{float(compute):.2f} ms, bytes {float(memory):.2f} ms")
# --8<-- [end:step]
assert len({gemm.intensity(m=m, n=n, k=k, itemsize=2) for m, n, k in products.values()}) == 1
