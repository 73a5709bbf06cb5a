export const publishEntryMessages = {
  title: "Everybody can read the repository of this entry now",
  text: "The entry is still private: it's shown to those who have connected their account at the code host.",
  publish: "Publish this entry",
  private: "Only its authors see this entry",
  privateText: "Once it's public, everyone can find it in the catalog, read its files and download them.",
  makePublic: "Make public",
  isPublic: "The entry is public now",
  notPublic: "The entry is still private",
} as const;
