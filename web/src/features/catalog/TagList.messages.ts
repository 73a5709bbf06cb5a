export const tagListMessages = {
  near: "Tags in these results",
  far: "Other tags",
  looking: "Looking for tags",
  none: "No tags match",
  noOthers: "No other tags",
  instead: "instead",
  more: "Show more",
} as const;
