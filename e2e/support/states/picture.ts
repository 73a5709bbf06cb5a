import type { Page } from "@playwright/test";

/**
 * Replaces today's date, addresses and ids by fixed ones, so that the screenshots of two runs are the same. Past dates are
 * part of texts and stay.
 */
export async function steady(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    if (!document.querySelector("dialog:modal")) window.scrollTo(0, 0);
    const config = document.getElementById("config")?.textContent;
    const version: string = config ? JSON.parse(config).version : "";
    const today = Date.parse(new Date().toDateString());
    const [day, shownToday] = [86_400_000, Date.UTC(2026, 5, 15)];
    const fixed = (text: string, write: (date: Date) => string) => {
      const distance = Math.round((Date.parse(text) - today) / day);
      return distance < -1 ? text : write(new Date(shownToday + day * Math.max(distance, 0)));
    };
    const medium = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
    const short = new Intl.DateTimeFormat("en", { timeZone: "UTC" });
    const changed = (text: string) =>
      (version === "" ? text : text.replace(version, ""))
        .replace(/\b[A-Z][a-z]{2} \d{1,2}, 20\d\d\b/g, (date) => fixed(date, (each) => medium.format(each)))
        .replace(/\b\d{1,2}\/\d{1,2}\/20\d\d\b/g, (date) => fixed(date, (each) => short.format(each)))
        .replace(/\b\d{1,2}:\d\d([\s\u202f])[AP]M\b/g, "10:30$1AM")
        .replace(/\b\d+\.\d s\b/g, "0.4 s")
        .replace(/\b(127\.0\.0\.1|localhost):\d{4,5}\b/g, "$1:8080")
        .replace(/\/tmp\/cairn-\w+-\w+/g, "/var/lib/cairn")
        .replace(/\b01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "01900000-0000-7000-8000-000000000000");
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
      if (changed(text.data) !== text.data) text.data = changed(text.data);
    }
    for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
      if (changed(field.value) !== field.value) field.value = changed(field.value);
    }
  });
}

/** In pixels. Tall pages are lists, whose beginning is enough. */
const tallest = 2_000;
const quality = 0.6;

/** Compresses a screenshot as far as it stays readable, with the browser as the encoder. */
export async function encoded(encoder: Page, picture: Buffer, widest = 960): Promise<Buffer> {
  const text = await encoder.evaluate(
    async ([png, width, height, wanted]) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const scale = Math.min(1, width / bitmap.width);
      const [full, wide] = [Math.round(bitmap.height * scale), Math.round(bitmap.width * scale)];
      const canvas = new OffscreenCanvas(wide, Math.min(full, height));
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, 0, 0, wide, full);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: wanted });
      return new Promise<string>((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result));
        reader.readAsDataURL(blob);
      });
    },
    [picture.toString("base64"), widest, tallest, quality] as const,
  );
  return Buffer.from(text.slice(text.indexOf(",") + 1), "base64");
}
