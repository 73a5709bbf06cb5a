// Package catalog holds the entries that everybody can look at: notebooks, repositories, datasets and models, with
// their tags, authors and stars. resource.go and kinds.go hold the rules, store*.go is the database, mirror.go keeps the
// search index of package index in step with it, routes.go has the operations. What lies behind an entry is shown by
// package preview, entries are added and changed by package contribute, and projects are made of them by package projects.
package catalog
