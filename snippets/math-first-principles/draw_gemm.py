"""Pictures of the page about GEMM: roofline, a measured curve, one tile, memory hierarchy, waves; and its explorer."""

import math

from infra_ref import hardware
from infra_ref.bench.records import records
from infra_ref.ledger import gemm, roofline
from infra_ref.publish.svg import Canvas, Linear, Log, num, text_width
from infra_ref.units import magnitude

DEVICE = hardware.accelerator("h100-sxm")
PEAK, BANDWIDTH = DEVICE.peak(dtype="bf16"), DEVICE.memory_bandwidth
RIDGE = float(magnitude(DEVICE.ridge(dtype="bf16"), "FLOP/B"))
EDGE = 4096  # K and N of the projection on the roofline
ROWS = (1, 4, 16, 64, 256, 1024, 4096)
SHAPE = {"m": 1024, "n": 12288, "k": 4096}  # the tiled product
TILES = (16, 32, 48, 64, 96, 128, 192, 256, 512)
TILE = 128
WAVE_COLUMNS = 4096  # N of the wave picture
MEASURED = records.gemm_cpu

TEXT = {
    "zh": {
        "roofline": "H100 SXM 的 Roofline 图：权重为 4096 × 4096 的投影，M 从 1 增加到 4096，点沿带宽斜线升到算力平台",
        "x": "算术强度（FLOP/B，对数）",
        "y": "性能上界（TFLOP/s，对数）",
        "hbm": "显存",
        "peak": "bf16 稠密峰值",
        "ridge": "脊点",
        "memory": "访存受限：少搬字节",
        "compute": "计算受限：",
        "compute2": "少算，或用更窄的格式",
        "tile": "分块矩阵乘：C 的一个 tile 由 A 的一条行带和 B 的一条列带算出；另一图放大沿 K 的一步",
        "step": "沿 K 的一步，T = 4",
        "read": "读入 4 + 4 个元素",
        "fma": "完成 4 × 4 次乘加",
        "use": "每个元素用 4 次",
        "stay": "累加器一直留在片上",
        "hierarchy": "H100 的存储层次：各级容量，以及分块矩阵乘的数据放在哪一级",
        "total": "全片合计（对数）",
        "per": "每个 SM",
        "levels": ["寄存器", "共享内存", "L2", "显存"],
        "lives": [
            "C 的累加器：128² × 4 B", "A、B 各一小块，预取若干级", "相邻 tile 重读的数据在此命中",
            "完整的 A、B、C",
        ],
        "open": "带宽：尚未测量",
        "waves": "波次量化：M 每越过一个整波，有用乘加的占比就从约 {0:.0f}% 跌下来，越往后跌得越少",
        "waves_y": "有用乘加占全部波次容量（%）",
        "waves_x": "行数 M",
        "wave_note": "N = 4096，tile 128²，{0} 个 SM",
        "gemm_cpu": "实测：单个 CPU 核上的 fp32 方阵乘，速率随边长上升，随后走平，远低于上界",
        "gemm_cpu_y": "GFLOP/s",
        "gemm_cpu_x": "边长 n（对数）",
        "gemm_cpu_bound": "上界",
    },
    "en": {
        "roofline": "Roofline of an H100 SXM: a 4096 by 4096 projection climbs from the bandwidth slope to the compute "
        "plateau as M grows from 1 to 4096",
        "x": "arithmetic intensity (FLOP/B, log)",
        "y": "upper bound (TFLOP/s, log)",
        "hbm": "HBM",
        "peak": "dense bf16 peak",
        "ridge": "ridge",
        "memory": "bandwidth-bound: move fewer bytes",
        "compute": "compute-bound:",
        "compute2": "fewer bits or FLOPs",
        "tile": "Tiled product: a tile of C needs a row strip of A and a column strip of B; one step along K enlarged",
        "step": "one step along K, T = 4",
        "read": "reads 4 + 4 elements",
        "fma": "does 4 × 4 multiply-adds",
        "use": "uses each element 4 times",
        "stay": "sums stay on the chip",
        "hierarchy": "Memory hierarchy of an H100: capacity of each level, and where the data of a tiled product lives",
        "total": "whole chip (log)",
        "per": "per SM",
        "levels": ["registers", "shared memory", "L2", "HBM"],
        "lives": [
            "accumulators of C: 128² × 4 B", "a block of A and of B, staged", "neighbouring tiles re-read here",
            "all of A, B and C",
        ],
        "open": "bandwidth: not measured yet",
        "waves": "Wave quantisation: whenever M crosses a whole wave, the useful share falls from about {0:.0f}%, "
        "less each time",
        "waves_y": "useful multiply-adds, share of all waves (%)",
        "waves_x": "rows M",
        "wave_note": "N = 4096, tiles of 128², {0} SMs",
        "gemm_cpu": "Measured: the rate of square fp32 products on one CPU core climbs with the edge and levels off "
        "far below the upper bound",
        "gemm_cpu_y": "GFLOP/s",
        "gemm_cpu_x": "edge n (log)",
        "gemm_cpu_bound": "upper bound",
    },
}  # fmt: skip


def draw_roofline(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 330 if narrow else 372
    left, right, top, bottom = 38, 8 if narrow else 14, 30, height - 44
    c = Canvas(width, height, t["roofline"], lang)
    x, y = Log(0.5, 4096, left, width - right), Log(1, 2000, bottom, top)
    peak, band = float(magnitude(PEAK, "TFLOP/s")), float(magnitude(BANDWIDTH, "TB/s"))
    for v in (1, 10, 100, 1000):
        c.line(left, y(v), width - right, y(v), "grid")
        c.text(left - 6, y(v) + 4, f"{v}", anchor="end")
    for v in (1, 10, 100, 1000) if narrow else (1, 4, 16, 64, 256, 1024):
        c.line(x(v), bottom, x(v), bottom + 4, "axis")
        c.text(x(v), bottom + 18, f"{v}", anchor="middle")
    c.line(left, bottom, width - right, bottom, "axis")
    c.text(left, top - 14, t["y"])
    c.text(width - right, height - 6, t["x"], anchor="end")
    x0, y0, xr, yp = x(0.5), y(0.5 * band), x(RIDGE), y(peak)
    c.add("path", cls="memory tint", d=f"M{num(x0)} {num(y0)}L{num(xr)} {num(yp)}V{num(bottom)}H{num(x0)}Z")
    c.add("path", cls="compute tint", d=f"M{num(xr)} {num(yp)}H{num(width - right)}V{num(bottom)}H{num(xr)}Z")
    c.line(x0, y0, xr, yp, "memory line")
    c.line(xr, yp, width - right, yp, "compute line")
    c.line(xr, yp, xr, bottom, "grid")
    angle = math.degrees(math.atan2(yp - y0, xr - x0))
    c.text(x(5) - 8, y(5 * band) - 10, f"{t['hbm']} {band:g} TB/s", "memory halo", "middle", angle)
    c.text(width - right, yp - 9, f"{peak:g} TFLOP/s" + ("" if narrow else f"  {t['peak']}"), "compute halo", "end")
    c.text(xr - 6, bottom - 8, f"{t['ridge']} {RIDGE:.1f}", "strong halo", "end")
    if not narrow:
        c.text(left + 8, bottom - 8, t["memory"], "memory halo")
        c.lines(xr + 8, bottom - 26, [t["compute"], t["compute2"]], "compute halo")
    for m in ROWS:
        intensity = gemm.intensity(m=m, n=EDGE, k=EDGE, itemsize=2)
        value = float(magnitude(intensity, "FLOP/B"))
        bound = float(magnitude(roofline.attainable(intensity=intensity, peak=PEAK, bandwidth=BANDWIDTH), "TFLOP/s"))
        memory = value < RIDGE
        c.add("circle", cls=f"{'memory' if memory else 'compute'} derived", cx=x(value), cy=y(bound), r=5)
        label = f"M = {m}" if m == 1 else f"{m}"
        if not memory and not (narrow and m != ROWS[-1]):
            c.text(x(value), y(bound) + 22, label, "strong halo", "middle")
        elif memory and narrow and m == 256:
            c.text(x(value) - 10, y(bound) + 3, label, "strong halo", "end")
        elif memory:
            c.text(x(value) + 11, y(bound) + 14, label, "strong halo")
    return c


def draw_gemm_cpu(lang, width):
    t, height = TEXT[lang], 280
    left, right, top, bottom = 38, 16, 30, height - 44
    c = Canvas(width, height, t["gemm_cpu"], lang)
    edges = [row.sizes["n"] for row in MEASURED.rows]
    x, y = Log(edges[0], edges[-1], left + 22, width - right - 16), Linear(0, 200, bottom, top)
    for v in (0, 50, 100, 150, 200):
        c.line(left, y(v), width - right, y(v), "grid" if v else "axis")
        c.text(left - 6, y(v) + 4, f"{v}", anchor="end")
    c.text(left, top - 14, t["gemm_cpu_y"])
    c.text(width - right, height - 6, t["gemm_cpu_x"], anchor="end")
    bound = MEASURED.rows[0].bound
    c.line(left, y(bound), width - right, y(bound), "compute line")
    c.text(x(edges[0]), y(bound) + 18, f"{t['gemm_cpu_bound']} {bound:g} GFLOP/s", "compute halo")
    best = max(MEASURED.rows, key=lambda row: row.median)
    for row in MEASURED.rows:
        at = x(row.sizes["n"])
        c.line(at, bottom, at, bottom + 4, "axis")
        c.text(at, bottom + 18, f"{row.sizes['n']}", anchor="middle")
        c.line(at, y(row.q1), at, y(row.q3), "compute edge")
        for quartile in (row.q1, row.q3):
            c.line(at - 6, y(quartile), at + 6, y(quartile), "compute edge")
        c.add("circle", cls="compute measured", cx=at, cy=y(row.median), r=3)
        if row in (MEASURED.rows[0], best):
            c.text(at, y(row.q3) - 9, f"{row.median:.1f}", "strong halo", "middle")
    return c


def draw_tile(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 420 if narrow else 256
    c = Canvas(width, height, t["tile"], lang)
    depth, rows, columns, tile, step = 96, 112, 136, 32, 24  # K, M, N, T and one step along K, in pixels
    ax, ay, bx, by = 22, 122, 132, 16
    i, j = 40, 68  # where the tile sits in C
    c.rect(ax, ay, depth, rows, "box", 3)
    c.rect(bx, by, columns, depth, "box", 3)
    c.rect(bx, ay, columns, rows, "box", 3)
    c.rect(ax, ay + i, depth, tile, "memory tint")
    c.rect(bx + j, by, tile, depth, "memory tint")
    c.rect(ax + step, ay + i, step, tile, "memory solid")
    c.rect(bx + j, by + step, tile, step, "memory solid")
    c.rect(bx + j, ay + i, tile, tile, "compute solid")
    c.arrow(ax + 2 * step + 3, ay + i + tile / 2, ax + depth - 5, ay + i + tile / 2, "memory edge")
    c.arrow(bx + j + tile / 2, by + 2 * step + 3, bx + j + tile / 2, by + depth - 5, "memory edge")
    for px, py, name in ((ax, ay, "A"), (bx, by, "B"), (bx, ay, "C")):
        c.text(px + 7, py + 17, name, "strong")
    c.text(ax + depth / 2, ay + rows + 15, "K", anchor="middle")
    c.text(ax - 6, ay + rows / 2 + 4, "M", anchor="end")
    c.text(bx + columns / 2, by - 4, "N", anchor="middle")
    c.text(bx - 6, by + depth / 2 + 4, "K", anchor="end")
    c.text(bx + j + tile + 5, ay + i + tile / 2 + 4, "T")
    c.text(bx + j + tile / 2, ay + i + tile + 14, "T", anchor="middle")
    zx, zy, cell = (36, 316, 20) if narrow else (324, 74, 28)
    c.text(zx - 14, zy - 40, t["step"], "strong")
    for k in range(4):
        c.rect(zx - 14, zy + 12 + k * cell, cell - 3, cell - 3, "memory solid", 2)
        c.rect(zx + cell + k * cell, zy - cell + 6, cell - 3, cell - 3, "memory solid", 2)
        for n in range(4):
            c.rect(zx + cell + n * cell, zy + 12 + k * cell, cell - 3, cell - 3, "compute tint", 2)
            c.text(zx + 1.5 * cell + n * cell - 1.5, zy + 8 + (k + 0.5) * cell + 8, "+", "compute", "middle")
    notes = [("memory", t["read"]), ("compute", t["fma"]), (None, t["use"]), (None, t["stay"])]
    for n, (cls, note) in enumerate(notes):
        if narrow:
            c.text(zx + 5 * cell + 8, zy + 18 + n * 24, note, cls)
        else:
            c.text(zx + 5 * cell + 20, zy + 26 + n * 24, note, cls)
    return c


def _size(quantity):
    for unit in ("GB", "MiB", "KiB"):
        value = float(magnitude(quantity, unit))
        if value >= 1:
            return f"{value:.3g} {unit}"
    raise ValueError(quantity)


def draw_hierarchy(lang, width):
    t, narrow = TEXT[lang], width < 500
    per = [DEVICE.registers_per_sm, DEVICE.shared_memory_per_sm, None, None]
    total = [DEVICE.sm_count * q for q in per[:2]] + [DEVICE.l2, DEVICE.memory_capacity]
    row, gap = (54, 32) if narrow else (34, 26)
    c = Canvas(width, 24 + 4 * row + 3 * gap, t["hierarchy"], lang)
    bx, bw = (0, width) if narrow else (206, 190)
    bar = Log(3e6, 8e10, 0, bw)
    c.text(width if narrow else bx, 13, t["total"], anchor="end" if narrow else "start")
    y = 24
    for level, (name, lives) in enumerate(zip(t["levels"], t["lives"], strict=True)):
        cls = "compute" if level == 0 else "memory"
        length = bar(float(magnitude(total[level], "B")))
        extra = f"{t['per']} {_size(per[level])}" if per[level] is not None else ""
        if narrow:
            c.text(0, y + 13, name, "strong")
            c.text(width, y + 13, _size(total[level]) + (f" · {extra}" if extra else ""), anchor="end")
            c.rect(0, y + 20, bw, 9, "box", 2)
            c.rect(0, y + 20, length, 9, f"{cls} solid", 2)
            c.text(0, y + 46, lives)
        else:
            c.text(0, y + (13 if extra else 21), name, "strong")
            if extra:
                c.text(0, y + 29, extra)
            c.text(bx - 12, y + 21, _size(total[level]), "strong", "end")
            c.rect(bx, y + 10, bw, 14, "box", 2)
            c.rect(bx, y + 10, length, 14, f"{cls} solid", 2)
            c.text(bx + bw + 18, y + 21, lives)
        if level < 3:
            ax = 6 if narrow else bx + 8
            known = level == 2
            ends = (y + row + gap - 4, y + row + 2) if narrow else (y + row + gap + 4, y + row - 6)
            c.arrow(ax, ends[0], ax, ends[1], "memory edge" if known else "ink edge")
            label = f"{float(magnitude(BANDWIDTH, 'TB/s')):g} TB/s" if known else t["open"]
            c.text(ax + 12, y + row + gap / 2 + 5, label, "memory" if known else None)
        y += row + gap
    return c


def useful_share(m):
    tiles = gemm.tile_count(m=m, n=WAVE_COLUMNS, tile_m=TILE, tile_n=TILE)
    places = gemm.waves(tiles=tiles, units=DEVICE.sm_count) * DEVICE.sm_count
    return 100 * m * WAVE_COLUMNS / (places * TILE * TILE)


def draw_waves(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 252 if narrow else 236
    left, right, top, bottom = 38, 16, 60 if narrow else 44, height - 40
    tiles_per_row = gemm.tile_count(m=TILE, n=WAVE_COLUMNS, tile_m=TILE, tile_n=TILE)
    per_wave = [w * DEVICE.sm_count // tiles_per_row * TILE for w in range(1, 9)]  # most rows that w waves hold
    per_wave[-1] = min(per_wave[-1], 4096)
    c = Canvas(width, height, t["waves"].format(useful_share(per_wave[0])), lang)
    x, y = Linear(0, 4096, left, width - right), Linear(0, 100, bottom, top)
    for v in (0, 50, 100):
        c.line(left, y(v), width - right, y(v), "grid" if v else "axis")
        c.text(left - 6, y(v) + 4, f"{v}", anchor="end")
    for v in (1024, 2048, 3072, 4096) if narrow else range(512, 4097, 512):
        c.line(x(v), bottom, x(v), bottom + 4, "axis")
        c.text(x(v), bottom + 18, f"{v}", anchor="end" if v == 4096 else "middle")
    c.text(left, 13, t["waves_y"])
    note = t["wave_note"].format(DEVICE.sm_count)
    c.text(left if narrow else width - right, 30 if narrow else 13, note, anchor="start" if narrow else "end")
    c.text(width - right, height - 4, t["waves_x"], anchor="end")
    path, start = "", TILE
    for end in per_wave:
        path += f"M{num(x(start))} {num(y(useful_share(start)))}L{num(x(end))} {num(y(useful_share(end)))}"
        start = end + 1
    c.add("path", cls="compute line", d=path)
    for m, anchor, dx, dy in ((per_wave[0], "middle", 0, -9), (per_wave[0] + 1, "start", 9, 15)):
        c.add("circle", cls="compute derived", cx=x(m), cy=y(useful_share(m)), r=4)
        text = f"{m}: {useful_share(m):.1f}%"
        c.text(max(x(m) + dx, left + text_width(text) / 2), y(useful_share(m)) + dy, text, "strong halo", anchor)
    return c


def place(value, lo, hi):
    """Percent along a logarithmic track."""
    return round(100 * math.log(value / lo) / math.log(hi / lo), 2)


def grouped(value):
    """Thousands are grouped from five digits on."""
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.0f}"


def explore_tile_size():
    rows = []
    operations = gemm.flops(**SHAPE)
    for tile in TILES:
        tiled = SHAPE | {"tile_m": tile, "tile_n": tile, "itemsize": 2}
        moved, dense = gemm.tiled_bytes(**tiled), float(magnitude(gemm.tiled_intensity(**tiled), "FLOP/B"))
        sums = gemm.accumulator_bytes(tile_m=tile, tile_n=tile)
        tiles = gemm.tile_count(m=SHAPE["m"], n=SHAPE["n"], tile_m=tile, tile_n=tile)
        waves = gemm.waves(tiles=tiles, units=DEVICE.sm_count)
        filled = float(gemm.wave_efficiency(tiles=tiles, units=DEVICE.sm_count))
        least = roofline.bound_time(flops=operations, nbytes=moved, peak=PEAK, bandwidth=BANDWIDTH)
        rows.append({
            "tile": tile,
            "traffic": f"{grouped(float(magnitude(moved, 'MiB')))} MiB",
            "intensity": f"{dense:.1f} FLOP/B",
            "time": f"{float(magnitude(least, 'ms')):.3f} ms",
            "sums": f"{grouped(float(magnitude(sums, 'KiB')))} KiB",
            "waves": f"{waves} × {DEVICE.sm_count}, {filled:.1%}",
            "pos_intensity": place(dense, 1, 1024),
            "pos_sums": place(float(magnitude(sums, "KiB")), 0.25, 4096),
        })  # fmt: skip
    registers = float(magnitude(DEVICE.registers_per_sm, "KiB"))
    marks = {
        "pos_intensity": {
            "left": place(RIDGE, 1, 1024), "at": {"zh": f"脊点 {RIDGE:.1f}", "en": f"ridge {RIDGE:.1f}"},
        },
        "pos_sums": {
            "left": place(registers, 0.25, 4096),
            "at": {"zh": f"全部 {registers:.0f} KiB", "en": f"all {registers:.0f} KiB"},
        },
    }  # fmt: skip
    return {"rows": rows, "marks": marks}


DRAWINGS = {
    "roofline": draw_roofline, "gemm_cpu": draw_gemm_cpu, "tile": draw_tile, "hierarchy": draw_hierarchy,
    "waves": draw_waves,
}  # fmt: skip
EXPLORERS = {"tile_size": explore_tile_size}
