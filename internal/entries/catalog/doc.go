// Package catalog manages the entries of the catalog: notebooks, repositories, datasets and models, with their tags,
// authors and stars. resource.go and kinds.go contain the rules, store*.go is the database, indexsync.go keeps the search
// index of package index up to date, and routes.go has the operations. Package preview shows the content behind an
// entry, package contribute adds and changes entries, and package projects combines them into projects.
package catalog
