import { expectAccessible, expectNoSidewaysScroll } from "../support/accessible";
import { expect, test } from "../support/test";

const call = "**/api/v1/rf/licenses";

test("the licences of all parts: loading, failed, read, found, and opened by an address", async ({ page, watch }) => {
  watch.expects(/status of 500/);
  let fail = () => {};
  const failing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route(call, async (route) => {
    await failing;
    await route.fulfill({ status: 500, contentType: "application/problem+json", body: '{"message":"Out of paper."}' });
  });
  await page.goto("/licenses");
  await expect(page).toHaveTitle("Licences · Cairn");
  await expect(page.getByRole("status", { name: "Loading the licences" })).toBeVisible();
  fail();
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText(/The licences could not be read\.\s*Out of paper\./);
  await expectAccessible(page);
  await page.unroute(call);
  const answer = page.waitForResponse(call);
  await alert.getByRole("button", { name: "Retry" }).click();
  const { components } = (await (await answer).json()) as { components: { name: string }[] };

  const parts = page.getByRole("main").getByRole("group");
  await expect(parts).toHaveCount(components.length);
  await expect(page.getByText(`${components.length - 1} parts`)).toBeVisible();
  await expect(parts.first()).toContainText("Cairn");
  await parts.first().locator("summary").click();
  await expect(parts.first().getByRole("figure")).toHaveCount(2);
  await expect(parts.first().getByText(/Apache License\s+Version 2\.0/)).toBeVisible();
  await expect(parts.first().getByText("Copyright 2026 The Cairn authors")).toBeVisible();
  await parts.first().locator("summary").click();
  await expect(parts.first().getByRole("figure")).toHaveCount(0);

  await page.getByRole("searchbox", { name: "Find a part or a licence" }).fill("react");
  await expect(page.getByText(/^\d+ of \d+ parts$/)).toBeVisible();
  await expect(page.getByRole("heading", { level: 3, name: "react-markdown", exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { level: 3, name: "katex" })).toHaveCount(0);
  const react = parts.filter({ has: page.getByRole("heading", { name: "react", exact: true }) });
  await expect(react.getByText("Meta Platforms")).toBeHidden();
  await react.locator("summary").press("Enter");
  await expect(react.getByText("Meta Platforms")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("searchbox").fill("no such part");
  await expect(page.getByText("No part and no licence matches “no such part”.")).toBeVisible();
  await page.getByRole("link", { name: "Show all" }).click();
  await expect(page.getByRole("searchbox")).toHaveValue("");
  await expect(parts).toHaveCount(components.length);
});

test("the footer leads to the licences, and the address of a part opens it, at 320 px too", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/events");
  await page.getByRole("contentinfo").getByRole("link", { name: "Licences" }).click();
  const part = page.getByRole("group").filter({ hasText: "github.com/dop251/goja" });
  await part.locator("summary").click();
  await part.getByRole("link", { name: "Link to github.com/dop251/goja" }).click();
  await page.reload();
  const heading = part.getByRole("heading");
  await expect(heading).toBeInViewport();
  await expect(part.getByText("ftoa/internal/fast/LICENSE_V8")).toBeVisible();
  expect((await heading.boundingBox())?.y, "below the bar").toBeGreaterThan(56);
  await expectNoSidewaysScroll(page);
});
