export const pagerMessages = {
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  first: "This is the first page",
  last: "This is the last page",
  page: (page: number) => `Page ${page}`,
  place: (page: number, pages: number) => `Page ${page} of ${pages}`,
} as const;
