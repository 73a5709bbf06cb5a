// Package curation is how operators look after the catalog: they see its entries, hide, feature, verify and delete
// them, and read what others report. Package catalog has the rules of who sees what.
package curation
