export const foundNoteMessages = {
  offered: (fields: number) =>
    fields === 1
      ? "Something else was found for one field. It's below the field."
      : `Something else was found for ${fields} fields. It's below each.`,
  nothing: (asked: string) => `Nothing else was found in ${asked}.`,
  unanswered: (sources: string) => `Not read, because it didn't answer: ${sources}.`,
} as const;
