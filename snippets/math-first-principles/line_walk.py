# --8<-- [start:walk]
from infra_ref.tensor import layout

edge, itemsize, line = 4096, 4, 64
strides = layout.contiguous_strides((edge, edge))


def lines(indices):
    """Cache lines that hold at least one of the elements."""
    return len({layout.offset(index, strides) * itemsize // line
                for index in indices})


row = lines((7, j) for j in range(edge))
column = lines((i, 7) for i in range(edge))
print("one row:   ", row, "lines")
print("one column:", column, "lines")
# --8<-- [end:walk]
assert column == edge
threads, sector = 32, 32
beside = {layout.offset((0, j), strides) * itemsize // sector for j in range(threads)}
below = {layout.offset((i, 0), strides) * itemsize // sector for i in range(threads)}
results = {"row": row, "column": column, "sectors_row": len(beside), "sectors_column": len(below)}
