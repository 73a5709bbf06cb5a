// Package disk measures what sessions take on the disk, decides when one takes too much, and keeps a reserve free: below it no
// session starts, and the one that grew most is stopped.
package disk
