// Package publishing makes files of sessions entries of the catalog, or versions of entries. What is published is a version of a session's
// work: it doesn't change while people choose among its files, and a task that a killed server leaves finds them again.
package publishing
