// Package xlsx reads the beginning of sheets of spreadsheets in the format of Excel since 2007 (Office Open XML): cells as
// their texts, with the values that formulas had when the file was saved. It unpacks no more than a few megabytes of a file,
// whatever its parts claim.
package xlsx
