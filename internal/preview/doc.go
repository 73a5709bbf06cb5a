// Package preview shows what lies behind an entry of the catalog: its header image, its notebook in a frame of the session
// origin, the files and the citation of its repository, and the data of a dataset. Each of them is a feature of its own,
// made by a constructor and mounted by Routes. webfile.go fetches and keeps the files of the web that they show;
// signature.go signs addresses for requests that carry no token.
package preview
