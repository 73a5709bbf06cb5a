"""Makes v1-rates.csv: python3 generate.py > v1-rates.csv

Firing rates of two layers of visual cortex that see a drifting grating: each layer is a pair of an excitatory and an
inhibitory population (Wilson and Cowan, 1972), driven by the thalamus. Standard library only; the seed is fixed.
"""

import math
import random

SEED = 1981
STEP = 0.5  # ms, of the integration
SAMPLE_EVERY = 4  # steps, which is 2 ms
DURATION, GRATING_ON, GRATING_OFF = 3000.0, 500.0, 2500.0  # ms
GRATING = 2.0  # Hz, at which its bars pass


def gain(drive):
    """The rate, in Hz, that a population tends to."""
    return 60.0 / (1.0 + math.exp(-(drive - 18.0) / 5.0))


def main():
    chance = random.Random(SEED)
    exc4 = inh4 = exc23 = inh23 = 2.0
    noise = 0.0
    print("time_ms,lgn_hz,l4_exc_hz,l4_inh_hz,l23_exc_hz,l23_inh_hz")
    for step in range(int(DURATION / STEP)):
        time = step * STEP
        noise += -noise * STEP / 10.0 + 2.0 * math.sqrt(2.0 * STEP / 10.0) * chance.gauss(0.0, 1.0)
        seen = GRATING_ON <= time < GRATING_OFF
        contrast = 14.0 * (1.0 + math.sin(2.0 * math.pi * GRATING * (time - GRATING_ON) / 1000.0)) if seen else 0.0
        lgn = max(0.0, 6.0 + contrast + noise)
        if step % SAMPLE_EVERY == 0:
            print(f"{time:.0f},{lgn:.2f},{exc4:.2f},{inh4:.2f},{exc23:.2f},{inh23:.2f}")
        exc4, inh4, exc23, inh23 = (
            exc4 + STEP / 20.0 * (gain(0.7 * lgn + 0.5 * exc4 - 0.4 * inh4) - exc4),
            inh4 + STEP / 10.0 * (gain(0.5 * lgn + 0.4 * exc4 - 0.1 * inh4) - inh4),
            exc23 + STEP / 25.0 * (gain(0.8 * exc4 + 0.5 * exc23 - 0.5 * inh23) - exc23),
            inh23 + STEP / 10.0 * (gain(0.5 * exc4 + 0.5 * exc23 - 0.1 * inh23) - inh23),
        )


if __name__ == "__main__":
    main()
