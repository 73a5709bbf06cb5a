// Package kept keeps the files of entries on this server, for those who have no repository elsewhere.
//
// Every version of an entry is in a store of that entry alone (package versions), so equal parts of its versions take room once, entries
// of different people share nothing, and an entry can be erased. Stores are opened for as long as a version is written or read, by one
// process at a time; others wait.
//
// What sessions, previews and downloads use are trees: a folder for each version, made from the store when it is first needed, and
// removed again when nobody has for a while. A repository also has a bare git repository for each version, made likewise, whose commits have
// the same ids wherever they are made.
package kept
