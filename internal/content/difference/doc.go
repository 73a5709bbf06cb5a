// Package difference says how two states of a file differ, for people: line by line for text, cell by cell for notebooks.
package difference
