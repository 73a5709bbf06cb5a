export const connectionMessages = {
  server: {
    title: "The server cannot be reached.",
    body: "You can keep reading, and your sessions keep running. The page reconnects automatically.",
  },
  database: {
    title: "The database isn't responding.",
    body: "What you typed is still here. The page tries again automatically; save once this notice is gone.",
  },
} as const;
