/** A file to pack. */
export interface PackedFile {
  /** With slashes, relative to the root of the pack. */
  path: string;
  content: Blob;
  /** When it was changed, in milliseconds since 1970. */
  modified: number;
}

const block = 512;
const encoder = new TextEncoder();

/** The lengths of the header's fields for names, and the first size that its field can't hold. */
const nameLength = 100;
const prefixLength = 155;
const sizeLimit = 8 ** 11;

/**
 * Packs files as a tar archive, in the format that POSIX calls pax. It refers to the content of the files, which is read only when
 * the archive is: a large one takes little memory. The same files in the same order make the same bytes.
 */
export function pack(files: readonly PackedFile[]): Blob {
  const parts: BlobPart[] = [];
  for (const { path, content, modified } of files) {
    const seconds = Math.max(0, Math.floor(modified / 1000));
    parts.push(...headersOf(path, content.size, seconds), content, padding(content.size));
  }
  parts.push(new Uint8Array(2 * block));
  return new Blob(parts, { type: "application/x-tar" });
}

/** How many bytes of an archive a file takes. */
export function packedSize({ path, content }: Pick<PackedFile, "path" | "content">): number {
  const headers = headersOf(path, content.size, 0).reduce((sum, { length }) => sum + length, 0);
  return headers + content.size + padding(content.size).length;
}

/** Divides files, in their order, such that no archive is larger than `limit` bytes, unless it has a single file. */
export function divide<File extends PackedFile>(files: readonly File[], limit: number): File[][] {
  const packs: File[][] = [];
  let room = 0;
  for (const file of files) {
    const size = packedSize(file);
    if (size > room) {
      packs.push([]);
      room = limit - 2 * block;
    }
    packs.at(-1)?.push(file);
    room -= size;
  }
  return packs;
}

function padding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((block - (size % block)) % block);
}

function headersOf(path: string, size: number, seconds: number): Uint8Array<ArrayBuffer>[] {
  const place = split(path);
  const records = [
    ...(place ? [] : [record("path", path)]),
    ...(size < sizeLimit ? [] : [record("size", String(size))]),
  ].join("");
  // Programs that don't know pax show this name.
  const { name, prefix } = place ?? { name: plain(path).slice(-nameLength), prefix: "" };
  const own = header({ name, prefix, size: size < sizeLimit ? size : 0, seconds, type: "0" });
  if (records === "") return [own];
  const content = encoder.encode(records);
  const extended = { name: "PaxHeader", prefix: "", size: content.length, seconds, type: "x" };
  return [header(extended), content, padding(content.length), own];
}

/** Returns the two fields for a path; undefined if they can't hold it. */
function split(path: string): { name: string; prefix: string } | undefined {
  if (path !== plain(path)) return undefined;
  if (path.length <= nameLength) return { name: path, prefix: "" };
  const slash = path.indexOf("/", path.length - nameLength - 1);
  if (slash <= 0 || slash > prefixLength || slash === path.length - 1) return undefined;
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
}

function plain(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, "_");
}

/** A record of an extended header: its length, which counts itself too, its key and its value. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = encoder.encode(rest).length;
  let length = bytes;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

interface Header {
  name: string;
  prefix: string;
  size: number;
  /** When the file was changed, since 1970. */
  seconds: number;
  type: string;
}

function header({ name, prefix, size, seconds, type }: Header): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const put = (text: string, at: number) => bytes.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(name, 0);
  put("0000644", 100); // its rights
  put("0000000", 108); // its owner
  put("0000000", 116); // and group
  put(octal(size, 11), 124);
  put(octal(seconds, 11), 136);
  put(" ".repeat(8), 148); // as which the sum counts itself
  put(type, 156);
  put("ustar", 257);
  put("00", 263);
  put(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return bytes;
}
