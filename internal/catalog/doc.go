// Package catalog holds the entries that everybody can look at: notebooks, repositories, datasets and models, with
// their tags, authors and stars. resource.go and kinds.go are the rules, store.go the durable truth, scan.go the search
// over it, import.go the way in for operators, routes.go the calls. Projects made of entries are the projects slice's.
package catalog
