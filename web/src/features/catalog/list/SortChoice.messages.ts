export const sortChoiceMessages = { lead: ", sorted by", label: "Sorted by" } as const;
