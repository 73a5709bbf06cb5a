// Package metadata finds what others say about a work: files of its repository (CITATION.cff, codemeta.json, .zenodo.json),
// its code host, and DataCite by its DOI. Each source is read field by field: what the catalog's rules refuse is left out and the
// rest is kept, whatever else is in the file. Merge holds the one order of precedence (docs/adr/0051).
package metadata
