// Package catalog manages the entries of the catalog: notebooks, repositories, datasets and models, with their tags,
// authors and stars. entry.go and kinds.go contain the rules, answer.go what the API answers about an entry, store*.go is
// the database, indexsync.go keeps the search index of package index up to date, and routes.go has the operations. Package
// preview shows the content behind an entry, package contribute adds and changes entries, and package projects combines
// them into projects.
package catalog
