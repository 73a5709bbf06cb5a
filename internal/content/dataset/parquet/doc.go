// Package parquet reads the beginning of Parquet files: their columns as texts, one after the other. Values are decoded one
// at a time from pages of a bounded size, so what pages claim (lengths, numbers of values, runs) costs nothing by itself.
// https://parquet.apache.org/docs/file-format/ describes the format.
package parquet
