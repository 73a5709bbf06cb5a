// Package related finds the entries that belong to one: of the same repository, project or event, or with the same tags.
package related
