export const privateHintMessages = {
  question: "Is it private? {connect}",
  connect: (host: string) => `Connect your account at ${host}`,
  connectAgain: (host: string) => `Connect your account at ${host} again`,
} as const;
