export const connectionMessages = {
  title: "The server cannot be reached.",
  body: "You can keep reading, and your sessions keep running. The page reconnects automatically.",
} as const;
