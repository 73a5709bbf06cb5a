import { expect, test } from "vitest";
import { datasetPreviewMessages } from "./DatasetPreview.messages";

test("the download of all files says how much that is, and where counting ended", () => {
  const { allFiles } = datasetPreviewMessages;
  expect(allFiles()).toBe("Download all");
  expect(allFiles({ files: 1, size: 512, more: false })).toBe("Download all: 1 file, 512 bytes");
  expect(allFiles({ files: 9000, size: 5_400_000_000, more: true })).toBe("Download all: at least 9,000 files, 5 GiB");
});
