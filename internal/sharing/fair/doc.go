// Package fair writes public entries in the forms that harvesters, archives and reference managers read, answers
// harvesters, and says how well strangers can find, cite and reuse an entry.
package fair
