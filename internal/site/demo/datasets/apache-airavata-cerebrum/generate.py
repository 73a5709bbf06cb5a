"""Makes cells.csv: python3 generate.py > cells.csv

A table of made-up cells of a cortical column, drawn from a short recipe of four cell types. Standard library only; the
seed is fixed.
"""

import random

SEED = 2025
CELLS = 900
# name, share, layers, soma diameter in um, resting potential in mV, input resistance in MOhm, threshold current in pA
RECIPE = [
    ("pyramidal", 0.78, ("L2/3", "L4", "L5", "L6"), 15.0, -72.0, 140.0, 110.0),
    ("Pvalb", 0.10, ("L2/3", "L4", "L5"), 12.0, -70.0, 95.0, 220.0),
    ("Sst", 0.07, ("L2/3", "L5", "L6"), 12.5, -64.0, 230.0, 60.0),
    ("Vip", 0.05, ("L2/3",), 10.0, -66.0, 310.0, 45.0),
]
DEPTHS = {"L2/3": (120.0, 310.0), "L4": (310.0, 440.0), "L5": (440.0, 680.0), "L6": (680.0, 890.0)}  # um below the pia


def main():
    chance = random.Random(SEED)
    cells = []
    for _ in range(CELLS):
        pick = chance.random()
        for name, share, layers, soma, resting, resistance, threshold in RECIPE:
            pick -= share
            if pick < 0.0:
                break
        layer = chance.choice(layers)
        size = chance.lognormvariate(0.0, 0.12)  # large cells have a low resistance and need a large current
        cells.append(
            (
                chance.uniform(*DEPTHS[layer]),
                soma * size,
                chance.gauss(resting, 2.5),
                resistance / size**2 * chance.lognormvariate(0.0, 0.15),
                threshold * size**2 * chance.lognormvariate(0.0, 0.2),
                name,
                layer,
            )
        )
    print("cell,depth_um,soma_um,resting_mV,resistance_MOhm,threshold_pA,type,layer")
    for number, (depth, soma, resting, resistance, threshold, name, layer) in enumerate(sorted(cells), 1):
        print(f"{number},{depth:.0f},{soma:.1f},{resting:.1f},{resistance:.0f},{threshold:.0f},{name},{layer}")


if __name__ == "__main__":
    main()
