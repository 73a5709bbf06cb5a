import { expect, type Locator, type Page } from "@playwright/test";

/*
 * Jupyter's classic notebook. It has few accessible names, so some elements are found by ids and classes, which haven't
 * changed in years.
 */

/** Waits until the tab shows Jupyter's list of files; leaves a notebook for it. */
export async function expectFiles(page: Page, ...names: string[]): Promise<void> {
  await expect(page).toHaveURL(/\/([0-9a-f-]{36}|s[a-z2-7]{26})\/(tree|notebooks)/, { timeout: 180_000 });
  const [application, notebook] = page.url().split("/notebooks/");
  if (notebook !== undefined) {
    await page.waitForLoadState();
    await page.goto(`${application}/tree`);
  }
  for (const name of names) await expect(file(page, name)).toBeVisible();
}

/** Opens a folder from the list of files. */
export async function enterFolder(page: Page, name: string): Promise<void> {
  await file(page, name).click();
  await expect(page.locator(".breadcrumb")).toContainText(name);
}

/** Opens a notebook from the list of files in a new tab, and waits for its kernel. */
export async function openNotebook(page: Page, name: string): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await file(page, name).click();
  const notebook = await opened;
  await expectIdle(notebook);
  return notebook;
}

/** Waits until the kernel is connected and idle. */
export async function expectIdle(notebook: Page): Promise<void> {
  await expect(notebook.locator("#kernel_indicator_icon.kernel_idle_icon")).toBeAttached({ timeout: 180_000 });
}

/** Runs all cells by keyboard, because a narrow window collapses the menu, and waits for the last one. */
export async function runAll(notebook: Page): Promise<void> {
  await notebook.locator(".text_cell").first().click();
  await notebook.keyboard.press("Control+a");
  await notebook.keyboard.press("Control+Enter");
  const last = notebook.locator(".code_cell .input_prompt").last();
  const failed = notebook.locator(".output_error").first();
  await expect(last.filter({ hasText: /\[\d+\]/ }).or(failed)).toBeVisible({ timeout: 180_000 });
  await expect(notebook.locator(".output_error")).toHaveText([]);
}

/** Types code into a new cell at the end, runs it, and waits for what it prints. */
export async function runCell(notebook: Page, code: string, prints: string): Promise<void> {
  await notebook.getByTitle("insert cell below").click();
  // On a phone, the editor is a different one, which takes a moment to parse and highlight its text.
  const editor = '.selected :is(.CodeMirror textarea, .CodeMirror-code[contenteditable="true"])';
  await notebook.locator(editor).focus();
  await notebook.keyboard.insertText(code);
  await expect(notebook.locator('.selected .CodeMirror-code [class^="cm-"]').first()).toBeVisible();
  await notebook.getByRole("button", { name: "Run", exact: true }).click();
  const cell = notebook.locator(".code_cell").filter({ hasText: code });
  await expect(cell.locator(".output_area")).toContainText(prints, { timeout: 60_000 });
}

/** Saves the notebook, so that the tab can be closed without a prompt. */
export async function save(notebook: Page): Promise<void> {
  await notebook.keyboard.press("Control+s");
  await expect(notebook.locator(".autosave_status")).toHaveText("(autosaved)");
}

function file(page: Page, name: string): Locator {
  return page.locator("#notebook_list").getByRole("link", { name, exact: true });
}
