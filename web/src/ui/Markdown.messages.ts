export const markdownMessages = {
  picture: (name: string | undefined) => (name ? `Picture: ${name}` : "Picture"),
  done: "Done",
  open: "Not done",
  alerts: { note: "Note", tip: "Tip", important: "Important", warning: "Warning", caution: "Caution" },
} as const;
