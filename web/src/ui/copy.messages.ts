export const copyMessages = {
  copy: "Copy",
  copyOne: (what: string) => `Copy ${what}`,
  copied: "Copied",
  failed: "Error copying",
  failedBody: "The browser doesn't allow it here. Select the text and copy it yourself.",
} as const;
