export const foundNoteMessages = {
  offered: (fields: number) =>
    fields === 1
      ? "Another value was found for one field; it's shown below it."
      : `Other values were found for ${fields} fields; each is shown below its field.`,
  nothing: (asked: string) => `Nothing else was found in ${asked}.`,
  unanswered: (sources: string) => `Not read, because it didn't answer: ${sources}.`,
} as const;
