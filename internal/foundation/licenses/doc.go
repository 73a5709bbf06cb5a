// Package licenses knows who made the parts of this program and under which licenses: Cairn's own, those of the Go
// modules in the binary, and those of the npm packages in the page and in the server's scripts. `make generate` writes
// licenses.json with the program in gather, which also has the rules for what may be in the binary.
package licenses
