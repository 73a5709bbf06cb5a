// Package versions keeps states of folders, so that each can be brought back: whole, or a file of it.
//
// A Store is a folder (0700) with these files (0600):
//
//	lock                 is held by the process that has the store open
//	versions.log         a record for each version and each deletion, in their order
//	00000001.pack        records of chunks, up to 16 MiB of them
//	00000001.index       where the chunks of a pack are; without it, the pack is read
//
// A record is a header of 52 bytes and what it stores: the mark ff 63 76 01, a kind, 1 if compressed (zstd), two zeros, the
// bytes stored and those of the content (32 bits, little-endian, as all numbers), the SHA-256 of the content, and a CRC-32C of
// all else. What isn't a whole record is skipped, and dropped at the end of the log and of the last pack.
//
// A content of up to 4 KiB is one chunk. A longer one is cut by FastCDC into chunks of 16 KiB on average, 4 to 128 KiB, and
// a list has the digest and length of each; long lists are cut too, where a digest begins with six zero bits, and listed. A
// digest of zeros is a hole. A reference is the digest of the topmost chunk and how many levels of lists are above the
// content. A folder is a content with its entries in the order of their names: kind, permissions, times, inode, size and
// reference each. So folders, parts of large folders and files that are equal to earlier ones take no room. The topmost
// folder of a version has its roots as entries.
//
// What a version needs is written and synced before its record is, so after a crash it is complete or absent; what is left
// are bytes that nothing refers to, until the next Sweep. A Sweep writes what is still needed of a pack to another pack,
// syncs that, and only then removes the first; last, it replaces the log by one without what was deleted.
//
// A digest says what its owner has, so stores of different owners share nothing.
package versions
