import { expect, type Page } from "@playwright/test";
import { signIn } from "./sign-in";

/** The demo accounts, with their names at the identity provider and in the user menu. */
export const people = {
  researcher: { email: "researcher@example.org", name: "Robin Researcher" },
  colleague: { email: "colleague@example.org", name: "Casey Colleague" },
  operator: { email: "operator@example.org", name: "Oli Operator" },
  newcomer: { email: "newcomer@example.org", name: "Nour Newcomer" },
} as const;

export type Person = (typeof people)[keyof typeof people];

/** Chooses the account on the identity provider's open page. */
export async function chooseAccount(page: Page, person: Person): Promise<void> {
  await expect(page).toHaveURL(/\/idp\//);
  await page.getByRole("button", { name: person.email }).click();
}

/** Opens a page with that person signed in. Only the identity tests sign in through the pages. */
export async function openAs(page: Page, person: Person, path: string): Promise<void> {
  await signIn(page.context(), person.email);
  await page.goto(path);
  await expect(page).toHaveURL(path);
}

/** Waits until the page's script has rendered. The bar in the document looks the same, but only its links work. */
export async function running(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Expands the navigation bar, which is collapsed in a narrow window. */
export async function unfoldNavigation(page: Page): Promise<void> {
  await running(page);
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if ((await menu.isVisible()) && (await menu.getAttribute("aria-expanded")) === "false") await menu.click();
}
