"""Makes reaching.csv: python3 generate.py > reaching.csv

A hand that reaches from the center to one of eight targets, and the spikes of eight neurons, each of which prefers a
direction (cosine tuning). Standard library only; the seed is fixed.
"""

import math
import random

SEED = 1986
STEP = 0.02  # s
REACHES = 40
REACH, PAUSE = 0.5, 0.25  # s
DISTANCE = 8.0  # cm
NEURONS = 8


def poisson(chance, rate):
    """A number of spikes (Knuth's method, for small rates)."""
    limit, product, spikes = math.exp(-rate), chance.random(), 0
    while product > limit:
        product *= chance.random()
        spikes += 1
    return spikes


def main():
    chance = random.Random(SEED)
    print("time_s,x_cm,y_cm,speed_cm_s," + ",".join(f"neuron_{number}" for number in range(1, NEURONS + 1)))
    row = 0
    for _ in range(REACHES):
        direction = 2.0 * math.pi * chance.randrange(8) / 8.0
        for step in range(round((REACH + PAUSE) / STEP)):
            done = min(1.0, step * STEP / REACH)
            way = DISTANCE * (10.0 * done**3 - 15.0 * done**4 + 6.0 * done**5)  # of least jerk
            speed = DISTANCE / REACH * 30.0 * done**2 * (1.0 - done) ** 2
            counts = []
            for number in range(NEURONS):
                tuned = math.cos(direction - 2.0 * math.pi * number / NEURONS)
                counts.append(poisson(chance, STEP * max(0.0, 12.0 + 1.4 * speed * tuned)))
            x, y = (way * part + chance.gauss(0.0, 0.03) for part in (math.cos(direction), math.sin(direction)))
            print(f"{row * STEP:.2f},{round(x, 2) + 0.0:.2f},{round(y, 2) + 0.0:.2f},{speed:.2f},{','.join(map(str, counts))}")
            row += 1


if __name__ == "__main__":
    main()
