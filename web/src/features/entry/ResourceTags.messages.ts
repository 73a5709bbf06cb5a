export const resourceTagsMessages = { label: "Tags", noun: "tags" } as const;
