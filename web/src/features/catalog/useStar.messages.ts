export const starMessages = {
  star: "Star",
  unstar: "Unstar",
  starred: "Starred",
  unstarred: "Unstarred",
  failure: "Error liking resource",
} as const;
