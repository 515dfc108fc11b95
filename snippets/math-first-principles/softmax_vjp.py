# --8<-- [start:vjp]
from infra_ref.numerics import gradients

p = [0.5, 0.25, 0.25]
jacobian = gradients.softmax_jacobian(p)
for row in jacobian:
    print(row, "sum", sum(row))
dp = [1.0, 0.0, 4.0]                             # what arrives
by_matrix = [sum(dp[i] * jacobian[i][j] for i in range(3))
             for j in range(3)]
print("by the matrix:", by_matrix)
print("without it:   ", gradients.softmax_backward(dp, p))
# --8<-- [end:vjp]
