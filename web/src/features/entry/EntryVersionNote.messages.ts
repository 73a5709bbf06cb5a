export const entryVersionNoteMessages = {
  older: (number: number, latest: number, day: string) => `This is version ${number} of ${latest}, of ${day}.`,
  seeLatest: "See the latest version",
  withdrawn: (number: number) => `Version ${number} was withdrawn. Don't use it for new work.`,
  reason: (reason: string) => `Reason: ${reason}`,
} as const;
