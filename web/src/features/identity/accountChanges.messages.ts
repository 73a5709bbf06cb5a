export const accountStateMessages = {
  enabled: "Enabled",
  disabled: "Disabled",
  notEnabled: "Not enabled",
  waiting: "Waiting",
  byRule: "by the rule of this server",
} as const;

export const accountChangeMessages = {
  enable: { label: "Enable", done: "Account enabled" },
  disable: {
    label: "Disable",
    done: "Account disabled",
    question: {
      title: "Disable this account",
      consequence:
        "Within ten seconds its ways into running sessions end, and the sessions are stopped. The work in them is kept. It can still browse, star and add, but starts no session until it is enabled again.",
    },
  },
  promote: {
    label: "Make operator",
    done: "Account is an operator now",
    question: {
      title: "Make this account an operator",
      consequence: "Operators see all accounts and decide about each of them, and may start sessions.",
    },
  },
  demote: {
    label: "Take operator's rights",
    done: "Account is no operator any more",
    question: {
      title: "Take an operator's rights away",
      consequence: "It no longer sees and decides about accounts. Whether it may start sessions stays as it is.",
    },
  },
} as const;
