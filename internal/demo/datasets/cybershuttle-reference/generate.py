"""Makes plate.csv: python3 generate.py > plate.csv

The temperature of a square plate after ten minutes: the left edge is kept hot, a round spot cold, and heat spreads
between them (explicit finite differences). Standard library only; nothing is random.
"""

POINTS = 40  # along each side
SPACING = 0.5  # cm
DIFFUSIVITY = 0.16  # cm2/s, like steel
STEP = 0.3  # s; below SPACING**2 / (4 * DIFFUSIVITY), or the solution grows without bound
DURATION = 600.0  # s
ROOM, HOT, COLD = 20.0, 100.0, 0.0  # degrees Celsius
SPOT_X, SPOT_Y, SPOT_RADIUS = 13.0, 7.0, 2.5  # cm


def main():
    cold = [
        [(i * SPACING - SPOT_X) ** 2 + (j * SPACING - SPOT_Y) ** 2 < SPOT_RADIUS**2 for i in range(POINTS)]
        for j in range(POINTS)
    ]
    plate = [[HOT if i == 0 else COLD if cold[j][i] else ROOM for i in range(POINTS)] for j in range(POINTS)]
    rate = DIFFUSIVITY * STEP / SPACING**2
    last = POINTS - 1
    for _ in range(int(DURATION / STEP)):
        plate = [
            [
                plate[j][i]
                if i == 0 or cold[j][i]
                else plate[j][i]
                + rate
                * (
                    plate[max(j - 1, 0)][i]
                    + plate[min(j + 1, last)][i]
                    + plate[j][i - 1]
                    + plate[j][min(i + 1, last)]
                    - 4.0 * plate[j][i]
                )
                for i in range(POINTS)
            ]
            for j in range(POINTS)
        ]
    print("x_cm,y_cm,temperature_C")
    for j in range(POINTS):
        for i in range(POINTS):
            print(f"{i * SPACING:.1f},{j * SPACING:.1f},{plate[j][i]:.2f}")


if __name__ == "__main__":
    main()
