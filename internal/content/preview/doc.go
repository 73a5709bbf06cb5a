// Package preview shows the content of entries: header images, notebooks in frames on the session origin, files and
// citations of repositories, and data of datasets. Each of them is a separate feature with a constructor and Routes;
// previews.go puts them together.
// webfile.go fetches and caches files from the web; signature.go signs addresses for requests without a token.
package preview
