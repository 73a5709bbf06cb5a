export const fairScoreMessages = {
  title: (score: string, of: string) => `FAIR score ${score} of ${of}`,
  explanation:
    "How findable, accessible, interoperable and reusable it is for anonymous visitors and harvesters, by the F-UJI metrics 0.8. Only authors and operators see this here.",
  allFine: "Nothing is missing.",
  missing: "What is missing",
  worth: (points: string) => (points === "0" ? "Advice" : points === "1" ? "1 point" : `${points} points`),
  writeInto: (action: string, file: string) => `${action}: write this into ${file}, below project, and sync the entry.`,
  open: (file: string) => `Open ${file}`,
  lineOf: (file: string) => `Line for ${file}`,
  passed: (count: number) => (count === 1 ? "1 check passed" : `${count} checks passed`),
} as const;
