export const operatorNavMessages = {
  label: "Operators",
  overview: "Overview",
  sessions: "Sessions",
  accounts: "Accounts",
  entries: "Entries",
  audit: "Audit",
  health: "Health",
} as const;
