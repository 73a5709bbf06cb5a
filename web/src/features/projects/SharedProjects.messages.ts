export const sharedProjectsMessages = {
  title: "Shared with me",
  cannotLoad: "The projects that are shared with you cannot be loaded.",
  offered: "Offered to you",
  viewer: "Viewer",
  editor: "Editor",
  of: "of {owner}",
} as const;
