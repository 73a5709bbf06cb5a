export const hostRowMessages = {
  notConnected: "Not connected",
  connected: (account: string, day: string) =>
    account === "" ? `Connected since ${day}` : `Connected as ${account} since ${day}`,
  withToken: "with a personal token",
  again: "Must be connected again",
  problems: {
    key_missing: () => "This server can no longer read what it stored of the connection.",
    refused: (host: string) => `${host} no longer accepts the connection.`,
  },
  connect: "Connect",
  connectAgain: "Connect again",
  useToken: "Use a personal token",
  disconnect: "Disconnect",
  /** Names of buttons, which begin with what they show. */
  ofHost: (action: string, host: string) => `${action}: ${host}`,
  notBegun: (host: string) => `You couldn't be sent to ${host}.`,
  disconnected: "Disconnected",
  revoked: (host: string) => `${host} no longer accepts what you granted.`,
  maybeValid: (host: string) => `The connection is forgotten here. What you granted may still be valid at ${host}.`,
  takeBack: (host: string) => `Take it back at ${host}`,
  dismissed:
    "You didn't keep the new connection. It's forgotten ten minutes after it was made, and the earlier one stays as it is.",
} as const;
