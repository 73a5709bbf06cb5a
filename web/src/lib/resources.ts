// What sessions have and what entries ask of them. No page shows it first.

import { count, number } from "./format";
import { fileSize } from "./measures";

interface Resources {
  memoryBytes?: number | undefined;
  cpus?: number | undefined;
  diskBytes?: number | undefined;
  gpus?: number | undefined;
}

/** Such as "16 GiB of memory", "4 processors" and "1 GPU"; what is 0 or unknown is left out. */
export function resourceTexts({ memoryBytes = 0, cpus = 0, diskBytes = 0, gpus = 0 }: Resources): string[] {
  return [
    memoryBytes > 0 ? `${fileSize(memoryBytes)} of memory` : "",
    cpus > 0 ? (cpus === 1 ? "1 processor" : `${number(cpus)} processors`) : "",
    diskBytes > 0 ? `${fileSize(diskBytes)} of disk` : "",
    gpus > 0 ? count(gpus, "GPU", "GPUs") : "",
  ].filter((text) => text !== "");
}

const list = new Intl.ListFormat("en-GB");

/** What an entry asks for, such as "8 GiB of memory and 1 GPU"; "" if nothing. */
export const needsText = (needs: Resources = {}): string => list.format(resourceTexts(needs));
