export const publishEntryMessages = {
  title: "Everybody can read the repository of this entry now",
  text: "The entry is still private: it's shown to those who have connected their account at the code host.",
  publish: "Publish this entry",
} as const;
