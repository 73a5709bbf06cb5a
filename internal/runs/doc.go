// Package runs lets the catalog execute the notebooks of its own entries, compares what comes out with what their authors
// stored, and says which entries run today.
package runs
