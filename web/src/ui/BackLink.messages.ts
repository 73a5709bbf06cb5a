/** The words of these components. What a page says by them, its own folder's messages hold. */

export const backLinkMessages = { back: "Back" } as const;
