export const fairScoreMessages = {
  title: "How well others can find and reuse it",
  points: (score: string, of: string) => `${score} of ${of} points`,
  explanation:
    "FAIR score by the F-UJI metrics 0.8: what anonymous visitors and harvesters can read. Only authors and operators see this here.",
  allFine: "Nothing is missing.",
  missing: "What is missing",
  worth: (points: string) => (points === "0" ? "Advice" : points === "1" ? "1 point" : `${points} points`),
  writeInto: (action: string, file: string) => `${action}: write this into ${file}, below project, and sync the entry.`,
  open: (file: string) => `Open ${file}`,
  lineOf: (file: string) => `Line for ${file}`,
  passed: (count: number) => (count === 1 ? "1 check passed" : `${count} checks passed`),
} as const;
