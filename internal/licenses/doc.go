// Package licenses knows by whom the parts of this program were made and under which licenses: Cairn's own, those of the
// Go modules in the binary, and those of the npm packages in the page and in the server's scripts. `make generate` writes
// licenses.json by the program in gather, which also holds the rules of what may be in the binary.
package licenses
