"""Makes sleep-waves.csv: python3 generate.py > sleep-waves.csv

Ten seconds awake, then ten seconds of slow-wave sleep, at four sites of the cortex. Awake, every site has
independent noise; asleep, a slow wave travels from front to back. Standard library only; the seed is fixed.
"""

import math
import random

SEED = 1993
STEP = 0.01  # s
AWAKE, ASLEEP = 10.0, 10.0  # s
WAVE = 0.8  # Hz
DELAYS = {"frontal": 0.0, "central": 0.06, "parietal": 0.11, "occipital": 0.17}  # s, behind the front


def main():
    chance = random.Random(SEED)
    noise = dict.fromkeys(DELAYS, 0.0)
    phase = 0.0
    print("time_s,state," + ",".join(f"{place}_uV" for place in DELAYS))
    for step in range(round((AWAKE + ASLEEP) / STEP)):
        time = step * STEP
        asleep = time >= AWAKE
        strength = 0.0 if not asleep else min(1.0, (time - AWAKE) / 1.5)
        phase += 2.0 * math.pi * WAVE * STEP * (1.0 + 0.15 * chance.gauss(0.0, 1.0))
        values = []
        for place, delay in DELAYS.items():
            noise[place] += -noise[place] * STEP / 0.05 + 12.0 * math.sqrt(2.0 * STEP / 0.05) * chance.gauss(0.0, 1.0)
            angle = phase - 2.0 * math.pi * WAVE * delay
            wave = 75.0 * (math.sin(angle) + 0.35 * math.sin(2.0 * angle))  # down states are shorter and deeper
            values.append(f"{strength * wave + (1.0 - 0.6 * strength) * noise[place]:.1f}")
        print(f"{time:.2f},{'asleep' if asleep else 'awake'},{','.join(values)}")


if __name__ == "__main__":
    main()
