"""Reading the datasets of this project, and two small analyses. Standard library only."""

import csv
import os
from pathlib import Path


def dataset(name):
    """The folder of a dataset of this project. A session sets CAIRN_DATASETS; elsewhere set it yourself."""
    root = os.environ.get("CAIRN_DATASETS")
    if not root:
        raise FileNotFoundError("CAIRN_DATASETS is not set. Set it to the folder that holds the datasets.")
    folder = Path(root) / name
    if not folder.is_dir():
        there = sorted(path.name for path in Path(root).glob("*")) or ["nothing"]
        raise FileNotFoundError(f"The dataset {name} is not in {root}; there is: {', '.join(there)}.")
    return folder


def read_table(path):
    """A CSV file of numbers as {column name: list of floats}."""
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = zip(*([float(value) for value in row] for row in rows))
        return dict(zip(names, map(list, columns)))


def find_spikes(time, voltage, threshold=0.0):
    """The times at which the voltage rises through the threshold, interpolated between samples."""
    spikes = []
    for i in range(1, len(voltage)):
        before, after = voltage[i - 1], voltage[i]
        if before < threshold <= after:
            part = (threshold - before) / (after - before)
            spikes.append(time[i - 1] + part * (time[i] - time[i - 1]))
    return spikes


def mean_and_deviation(values):
    """The mean of some numbers and their standard deviation."""
    mean = sum(values) / len(values)
    return mean, (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
