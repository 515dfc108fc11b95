# --8<-- [start:workers]
from math import exp, inf, log


def worker(scores, values):
    """Normalised output and log-sum-exp of one share of the keys."""
    if not scores:
        return 0.0, -inf
    top = max(scores)
    weights = [exp(x - top) for x in scores]
    mixed = sum(w * v for w, v in zip(weights, values, strict=True))
    return mixed / sum(weights), top + log(sum(weights))


def join(parts):
    top = max(lse for _, lse in parts)
    weights = [exp(lse - top) for _, lse in parts]
    outputs = [output for output, _ in parts]
    mixed = sum(w * o for w, o in zip(weights, outputs, strict=True))
    return mixed / sum(weights)


shares = [([0.0], [1.0]), ([log(2)], [3.0]), ([], [])]
parts = [worker(*share) for share in shares]
for output, lse in parts:
    print(f"output {output:.0f}, log-sum-exp {lse:.4f}")
print(f"averaged {(1 + 3) / 2:.4f}, joined {join(parts):.4f}")
# --8<-- [end:workers]
from infra_ref.numerics import softmax

whole = softmax.merge(softmax.lift([0.0], [[1.0]]), softmax.lift([log(2)], [[3.0]]))
assert abs(join(parts) - whole.output()[0]) < 1e-15
assert abs(join(parts) - 7 / 3) < 1e-15
