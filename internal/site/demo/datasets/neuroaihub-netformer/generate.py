"""Makes activity.csv: python3 generate.py > activity.csv

The activity of six units whose connections are known: the answer that a method should find is WEIGHTS below. Standard
library only; the seed is fixed.
"""

import math
import random

SEED = 1982
STEPS = 2000
STEP = 0.1
NOISE = 0.25
# WEIGHTS[to][from]
WEIGHTS = (
    (0.0, 1.4, 0.0, 0.0, 0.0, -1.1),
    (-1.5, 0.0, 0.9, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.6, 0.0, 0.0),
    (0.0, 0.0, -1.4, 0.0, 1.0, 0.0),
    (0.8, 0.0, 0.0, 0.0, 0.0, 1.2),
    (0.0, -0.9, 0.0, 0.0, -1.3, 0.0),
)


def main():
    chance = random.Random(SEED)
    units = [0.1] * len(WEIGHTS)
    print("time," + ",".join(f"unit_{number}" for number in range(1, len(WEIGHTS) + 1)))
    for step in range(STEPS):
        print(f"{step * STEP:.1f},{','.join(f'{value:.3f}' for value in units)}")
        outputs = [math.tanh(value) for value in units]
        units = [
            value
            + STEP * (-value + sum(weight * output for weight, output in zip(row, outputs)))
            + NOISE * math.sqrt(STEP) * chance.gauss(0.0, 1.0)
            for value, row in zip(units, WEIGHTS)
        ]


if __name__ == "__main__":
    main()
