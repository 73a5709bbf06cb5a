export const tagListMessages = {
  search: "Search within tags",
  placeholder: "Find a tag",
  near: "Tags of what matches",
  far: "Elsewhere in the catalog",
  looking: "Looking for tags",
  none: "No such tag",
  noOthers: "No other tags",
  instead: "instead",
  more: "Show more",
} as const;
