// Package index searches catalog entries in memory. For every word, prefix, part of a name, tag, type and author it
// keeps a compressed bitmap of the entries that have it, so a search is an intersection of sets and its total is exact.
// The database remains the only durable truth: an index is built from it, follows its changes, and can be saved to a
// snapshot file for quick starts. Rights of accounts, rows and HTTP are up to package catalog.
package index
