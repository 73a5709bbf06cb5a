export const missingMessages = {
  title: "One thing is missing",
  noPrivacy: (file: string) =>
    `\`${file}\` doesn't set privacy below \`project:\`. To keep the entry private, add the line \`privacy: PRIVATE\` there: otherwise the next sync would publish it.`,
  addPublic: "Add as public",
  noAuthor: (file: string) =>
    `No author in \`${file}\` has an e-mail address. You can add the repository and have an author's rights, without being shown or cited as an author.`,
  addedByMe: "Add as: added by me",
} as const;
