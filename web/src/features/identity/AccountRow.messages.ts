export const accountRowMessages = {
  failed: "Error changing account",
  neverSignedIn: "not signed in yet",
  since: (day: string) => `first signed in ${day}`,
  operator: "Operator",
  own: "Your own account",
  action: (label: string, email: string) => `${label} ${email}`,
  more: (email: string) => `More about ${email}`,
  cancel: "Cancel",
} as const;
