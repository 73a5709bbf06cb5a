// Package dataset previews data of entries on this server: the content of a folder, the beginning of a table with a
// summary and a plot of each numeric column, the beginning of a text, the groups and variables of a file of arrays. tree.go
// keeps every path below the dataset's folder, records.go to plot.go turn bytes into a table. Everything read and returned
// is bounded, so a usual file costs a few milliseconds, and none more than a second. Which entry has which data, and who may see it, is up to the catalog.
package dataset
