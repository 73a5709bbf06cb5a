// Package deposits puts versions of entries into research archives, with the connected account of an author, so that a DOI
// comes back into the entry.
//
// A deposit is a row that servers work on: it is claimed, held while it is worked on, and goes on at another server when one
// is killed. Everything that is asked of an archive can be asked again: the id of a draft is stored as soon as it is known,
// before that a mark finds it, files that are there aren't sent twice, and the archive says whether a draft was published.
// So a deposit becomes one record, whatever gets lost on the way. Nothing is published that nobody asked for in a second call.
package deposits
