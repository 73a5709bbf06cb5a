export const newTokenMessages = {
  title: (name: string) => `The access token “${name}” was created.`,
  once: "Copy it now: it's shown only this once, and it isn't stored here.",
  label: "access token",
  use: "Keep it like a password. The cairn command reads it from CAIRN_TOKEN, or from the file that CAIRN_TOKEN_FILE names; other programs send it as a bearer token.",
  done: "Done",
} as const;
