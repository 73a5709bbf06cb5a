// Package dataset looks into the data of entries that lies on this server: what is in a folder, the beginning of a table
// with a summary and a plot of each column of numbers, the beginning of a text. tree.go keeps every path below the
// dataset's own folder, records.go to plot.go make a table of bytes. How much is read and answered is bounded throughout,
// so that no file costs more than a few milliseconds. Which entry has which data, and who may see it, is the catalog's.
package dataset
