export const personalTokenMessages = {
  title: (host: string) => `Use a personal token of ${host}`,
  label: "Personal token",
  make: (host: string) => `Make a token at ${host}`,
  makeThere: (host: string) => `Make a token in your account's settings at ${host}.`,
  scopes: "It needs these rights, and no others:",
  help: "It's encrypted, and never shown again. You see what it really may do before you keep it.",
  cancel: "Cancel",
  submit: "Check the token",
} as const;
