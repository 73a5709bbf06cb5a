// Package dataset previews data of entries on this server: the content of a folder, the beginning of a table with a
// summary and a plot of each numeric column, the beginning of a text. tree.go keeps every path below the dataset's
// folder, records.go to plot.go turn bytes into a table. Everything read and returned is bounded, so no file costs more
// than a few milliseconds. Which entry has which data, and who may see it, is up to the catalog.
package dataset
