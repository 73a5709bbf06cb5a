export const foundNoteMessages = {
  offered: (fields: number) =>
    fields === 1
      ? "Another value was found for one field; it's shown below it."
      : `Something else was found for ${fields} fields, and is below each.`,
  nothing: (asked: string) => `Nothing else was found in ${asked}.`,
  unanswered: (sources: string) => `Not read, because it didn't answer: ${sources}.`,
} as const;
