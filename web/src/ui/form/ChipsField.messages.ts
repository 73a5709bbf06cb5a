export const chipsFieldMessages = {
  added: (noun: string) => `Added ${noun}s`,
  remove: (noun: string, value: string) => `Remove the ${noun} ${value}`,
  addOne: (noun: string) => `Add the ${noun}`,
  add: "Add",
} as const;
