export const copyMessages = {
  copy: "Copy",
  copyOne: (what: string) => `Copy ${what}`,
  copied: "Copied",
  failed: "Error copying",
  failedBody: "The browser does not allow it here. Select the text and copy it by hand.",
} as const;
