// Package index finds catalog entries in memory. It keeps, for every word, prefix, part of a name, tag, type and author,
// the set of entries that have it as a compressed bitmap, so that a search is an intersection of sets and its total is
// exact. The database stays the only durable truth: an index is made from it, follows its changes, and can be kept in a
// snapshot file to start quickly. Rights of accounts, rows and HTTP live in package catalog.
package index
