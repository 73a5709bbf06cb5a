export const tagListMessages = {
  search: "Search within tags",
  placeholder: "Find a tag",
  near: "Tags in these results",
  far: "Other tags",
  looking: "Looking for tags",
  none: "No tags match",
  noOthers: "No other tags",
  instead: "instead",
  more: "Show more",
} as const;
