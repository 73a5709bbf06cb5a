// Package cache keeps what sessions share, such as copies of repositories and environments. A cache is a folder of entries;
// each entry has a lock, so that one session makes it while others wait for it and see its progress. Entries that sessions
// don't pin are removed when the cache grows too large.
package cache
