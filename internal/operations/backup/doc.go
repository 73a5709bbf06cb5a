// Package backup writes what an installation has into a folder of plain files, and makes an installation from such a folder:
//
//	manifest.jsonl        the format and the facts of the installation, then a line for each other file; written last
//	database/TABLE.jsonl  the rows of each table
//	sessions/ENGINE/ID/   the work of sessions on this machine
//	site/, config.yaml    the site file with its pictures, and the configuration without secrets
//	keys.age              secrets, encrypted with a passphrase (age-encryption.org); absent without one
//
// The database is read first, at one moment, and then the files that it names. Files aren't compressed, and equal content has
// equal bytes, so programs that back up folders store what didn't change once. Work folders are hostile: nothing here follows
// their links.
package backup
