// Package audit records who changed what. A record is written in the transaction of its change, so that there is neither
// without the other; one server seals the records into a hash chain, so that it shows when one is removed or changed later.
// What is stored of a change is decided column by column in columns.go.
package audit
