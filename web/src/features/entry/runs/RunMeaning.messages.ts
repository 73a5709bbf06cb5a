export const runMeaningMessages = {
  title: "What a run says",
  meaning:
    "This server ran the notebook from top to bottom in a fresh environment and compared the outputs with those stored by the author. It doesn't check that the results are right.",
  never:
    "This server hasn't run the notebook yet. A run executes it from top to bottom in a fresh environment and compares the outputs with those stored by the author. It doesn't check that the results are right.",
  nowhere: "This server doesn't run entries automatically, so it can't say whether this one runs.",
  moved: "The repository has newer commits than the one that was run.",
  when: (when: string) => `It ran on ${when}.`,
  runs: "See its runs",
} as const;
