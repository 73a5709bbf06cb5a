export const connectionMessages = {
  title: "The server cannot be reached.",
  body: "What you see here stays, and sessions go on running. The page goes on by itself when the connection is back.",
} as const;
