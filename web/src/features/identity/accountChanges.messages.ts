export const accountStateMessages = {
  enabled: "Enabled",
  disabled: "Disabled",
  notEnabled: "Not enabled",
  waiting: "Waiting",
  byRule: "by this server's policy",
} as const;

export const accountChangeMessages = {
  enable: { label: "Enable", done: "Account enabled" },
  disable: {
    label: "Disable",
    done: "Account disabled",
    question: {
      title: "Disable this account",
      consequence:
        "Its sessions are stopped within ten seconds, and their work is kept. It can still browse, but it can't add, edit, star or start sessions until it's enabled again.",
    },
  },
  promote: {
    label: "Make operator",
    done: "Operator role granted",
    question: {
      title: "Make this account an operator",
      consequence: "Operators see and manage all accounts and entries, and may start sessions.",
    },
  },
  demote: {
    label: "Remove operator role",
    done: "Operator role removed",
    question: {
      title: "Remove the operator role",
      consequence:
        "This account can no longer manage accounts and entries. Whether it may start sessions doesn't change.",
    },
  },
} as const;
