# --8<-- [start:lora]
from infra_ref.ledger import linear, optimizer
from infra_ref.tensor.algebra import low_rank_parameters
from infra_ref.units import magnitude

layer = dict(rows=16384, in_features=4096, out_features=4096)
full = 3 * linear.forward_flops(**layer, bias=False).total
for rank in (8, 16, 64):
    step = (linear.lora_forward_flops(**layer, rank=rank).products
            + linear.lora_backward_flops(
                **layer, rank=rank, input_requires_grad=True).products)
    trained = low_rank_parameters(rows=4096, cols=4096, rank=rank)
    state = optimizer.mixed_adam.total(parameters=trained)
    print(f"r={rank:<2} {trained / 4096**2:.6%} trained:",
          f"{float(step / full):.1%} of the FLOPs,",
          f"{float(magnitude(state, 'MiB'))} MiB of state")
# --8<-- [end:lora]
