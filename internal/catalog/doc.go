// Package catalog holds the entries that everybody can look at: notebooks, repositories, datasets and models, with
// their tags, authors and stars. resource.go and kinds.go are the rules, the store files the durable truth, mirror.go keeps
// the search index of package index as the database is, routes.go has the calls.
// Pictures and notebooks of the web are fetched by webfile.go; gateway_notebook.go shows notebooks at the session origin. Projects made of entries are the
// projects slice's.
package catalog
