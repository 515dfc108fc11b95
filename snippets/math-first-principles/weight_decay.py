# --8<-- [start:decay]
from infra_ref.numerics.updates import AdamState, adam, adamw, sgd

steps = {
    "SGD": lambda s, g: AdamState(sgd(
        parameter=s.parameter, gradient=g + 0.1 * s.parameter, lr=0.01)),
    "Adam": lambda s, g: adam(s, gradient=g, lr=0.01, l2=0.1),
    "AdamW": lambda s, g: adamw(s, gradient=g, lr=0.01, decay=0.1)}
for name, step in steps.items():
    left = []
    for size in (0.01, 1.0, 100.0):
        state = AdamState(1.0)
        for t in range(200):             # + - - + + - - + ...: mean 0
            state = step(state, size * (-1) ** (t // 2 + t))
        left.append(f"{state.parameter:.2f}")
    print(f"{name:<5} what is left of 1, by gradient size:", *left)
# --8<-- [end:decay]
