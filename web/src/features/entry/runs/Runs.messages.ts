import type { Run } from "@/api/types";
import { count } from "@/lib/format";
import type { ComparedCell, ExecutedCell } from "./comparison";

const states: Record<Run["state"], string> = {
  QUEUED: "Waiting",
  RUNNING: "Running",
  DONE: "Done",
  STOPPED: "Stopped",
};

const starters: Record<Run["startedBy"], string> = {
  schedule: "Schedule",
  author: "An author",
  operator: "An operator",
};

const cellVerdicts: Record<ComparedCell["verdict"], string> = {
  DIFFERENT: "Differs",
  VARIES: "Differs from run to run",
  WITHIN_TOLERANCE: "Same within tolerance",
  LOOKS_THE_SAME: "Looks the same",
  NOT_RUN: "Not run",
  IDENTICAL: "Identical",
  NOTHING_TO_COMPARE: "Nothing to compare",
};

/** The cells that never ran, as a sentence. */
function left(first: number, last: number): string {
  if (first > last) return "";
  if (first === last) return ` Cell ${last} never ran.`;
  return ` Cells ${first} ${first + 1 === last ? "and" : "to"} ${last} never ran.`;
}

export const runsMessages = {
  states,
  starters,
  cellVerdicts,
  never: "Not tried yet",
  nowhere: "Not tried on this server",
  ran: (ran: number, total: number) =>
    ran === total
      ? total === 1
        ? "Its cell ran."
        : `All ${total} cells ran.`
      : `${ran} of ${count(total, "cell", "cells")} ran.`,
  /** Such as "1 of 6 cells ran; stopped in cell 3. Cells 4 to 6 never ran." */
  ranUntil: (ran: number, total: number, stopped: number) =>
    `${ran} of ${count(total, "cell", "cells")} ran; stopped in cell ${stopped}.${left(stopped + 1, total)}`,
  stoppedAfter: (time: string) => `Was stopped after ${time}`,
  endedAfter: (time: string) => `Ended early, after ${time}`,
  times: "Time per cell.",
  slowest: (cell: number, time: string) => `The slowest is cell ${cell}: ${time}.`,
  cellTime: (cell: number, state: ExecutedCell["state"], time: string) =>
    `Cell ${cell}: ${{ ran: time, failed: `${time}, stopped here`, skipped: "skipped", "not-run": "never ran" }[state]}`,
  whatRunsAre:
    "This server runs the notebook from top to bottom in a clean environment, and compares the results with the author's saved outputs.",
  noRuns: "This server doesn't run entries automatically. You can still start a session.",
  loading: "Loading the runs",
  failure: "The runs couldn't be loaded.",
  history: "History, oldest first",
  latest: (shown: number, total: number) => `The latest ${shown} of ${count(total, "run", "runs")}.`,
  inHistory: (what: string, when: string) => `${what}, ${when}`,
  runNow: "Run now",
  runAgain: "Run again",
  stop: "Stop",
  notStarted: "The run couldn't be started.",
  notStopped: "The run couldn't be stopped.",
  waiting: "Waiting for a free slot.",
  starting: "Preparing the environment.",
  cell: (cell: number, of: number) => `Code cell ${cell} of ${of}`,
  progress: "Cells that have run",
  outOfDate: (reason: string) => `The progress can't be read at the moment. ${reason}`,
  facts: "Facts about this run",
  result: "Result",
  file: "File",
  when: "When",
  took: "Duration",
  commit: "Commit",
  startedBy: "Started by",
  memory: "Memory",
  memoryPeak: (size: string) => `At most ${size}`,
  python: "Python",
  packageList: "Packages",
  packages: (packages: number) => count(packages, "package", "packages"),
  changes: "Since the last run",
  changed: (packages: number, engine: string, before: string) =>
    `${packages > 0 ? `${count(packages, "version", "versions")} changed` : "No version changed, but something else in the environment did"}.${
      engine === before ? "" : ` The last run was on ${before}, this one on ${engine}.`
    }`,
  changedPackages: "What changed",
  changedPackage: ({ name, before, now }: { name: string; before?: string; now?: string }) =>
    before === undefined
      ? `${name} ${now}, new`
      : now === undefined
        ? `${name} ${before}, gone`
        : `${name} ${before} → ${now}`,
  stopped: "This run was stopped before it finished.",
  notebook: "Executed notebook",
  log: "Log",
  downloadLog: "Download the log",
  crate: "Run crate",
  crateHelp: "A Process Run Crate: what ran, in which environment, and what came out",
  cite: "Cite this run",
  logLoading: "Loading the log.",
  logFailed: (reason: string) => `The log can't be read. ${reason}`,
  outputs: "Outputs",
  skipped: (cells: number) =>
    `${count(cells, "cell is", "cells are")} tagged to be skipped, so nothing is said of their outputs.`,
  same: (cells: number) => `${count(cells, "cell matches", "cells match")} the saved outputs.`,
  compareFailure: "The comparison couldn't be loaded.",
  cellTitle: (cell: number) => `Code cell ${cell}`,
  more: (cells: number) => `Show ${count(cells, "more cell", "more cells")}`,
  whose: { author: "The author's", run: "This run's" },
  textOf: (whose: string, cell: number) => `${whose} output of code cell ${cell}`,
  pictureOf: (whose: string, cell: number) => `${whose} picture of code cell ${cell}`,
  absent: "No such output",
  notShown: "This output can only be seen in the notebook.",
  cut: "There are more lines in the notebook.",
  numbers: (difference: string) => `Numbers differ by up to ${difference}.`,
  format: "Differs in formatting",
  otherFormat:
    "The values are the same, written in another way. Other versions of a library do so: NumPy before 1.14 printed more blanks in arrays.",
  otherSize:
    "The picture has another size, as other versions of a library draw it. Scaled down, both look alike; small letters aren't compared.",
  pixels: (share: string) => `${share} of the pixels differ.`,
} as const;
