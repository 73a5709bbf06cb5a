export const markdownMessages = {
  picture: (name: string | undefined) => (name ? `Picture: ${name}` : "Picture"),
  done: "Done",
  open: "Not done",
} as const;
