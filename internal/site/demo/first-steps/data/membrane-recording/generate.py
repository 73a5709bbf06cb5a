"""Makes membrane-recording.csv: python3 generate.py > membrane-recording.csv

A Hodgkin-Huxley neuron (the squid axon of 1952, one compartment) gets a noisy current step. The voltage is sampled at
5 kHz with the noise of an electrode. Standard library only; the seed is fixed, so every run gives the same file.
"""

import math
import random

SEED = 1952
STEP = 0.02  # ms, of the integration
SAMPLE_EVERY = 10  # steps, which is 0.2 ms
DURATION = 1000.0  # ms
STEP_ON, STEP_OFF = 200.0, 800.0  # ms
STEP_CURRENT = 7.0  # uA/cm2
NOISE_CURRENT, NOISE_TIME = 1.6, 5.0  # uA/cm2, ms
ELECTRODE_NOISE = 0.4  # mV


def rate(x, slope):
    """x / (1 - exp(-x / slope)), also where x is 0."""
    return slope if abs(x) < 1e-7 else x / (1.0 - math.exp(-x / slope))


def gates(v):
    """Opening and closing rates of the gates m, h and n, in 1/ms, at v millivolts."""
    return (
        (0.1 * rate(v + 40.0, 10.0), 4.0 * math.exp(-(v + 65.0) / 18.0)),
        (0.07 * math.exp(-(v + 65.0) / 20.0), 1.0 / (1.0 + math.exp(-(v + 35.0) / 10.0))),
        (0.01 * rate(v + 55.0, 10.0), 0.125 * math.exp(-(v + 65.0) / 80.0)),
    )


def main():
    chance = random.Random(SEED)
    v = -65.0
    m, h, n = (opening / (opening + closing) for opening, closing in gates(v))
    noise = 0.0
    print("time_ms,current_uA_cm2,voltage_mV")
    for step in range(int(DURATION / STEP)):
        time = step * STEP
        noise += -noise * STEP / NOISE_TIME + NOISE_CURRENT * math.sqrt(2.0 * STEP / NOISE_TIME) * chance.gauss(0.0, 1.0)
        current = noise + (STEP_CURRENT if STEP_ON <= time < STEP_OFF else 0.0)
        if step % SAMPLE_EVERY == 0:
            print(f"{time:.1f},{current:.2f},{v + chance.gauss(0.0, ELECTRODE_NOISE):.2f}")
        (am, bm), (ah, bh), (an, bn) = gates(v)
        ionic = 120.0 * m**3 * h * (v - 50.0) + 36.0 * n**4 * (v + 77.0) + 0.3 * (v + 54.387)
        v += STEP * (current - ionic)  # the capacity is 1 uF/cm2
        m += STEP * (am * (1.0 - m) - bm * m)
        h += STEP * (ah * (1.0 - h) - bh * h)
        n += STEP * (an * (1.0 - n) - bn * n)


if __name__ == "__main__":
    main()
