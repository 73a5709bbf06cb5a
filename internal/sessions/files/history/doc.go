// Package history keeps versions of the work of sessions: states of the work folder and the settings in the home folder, which
// can be looked into and restored, whatever becomes of the session.
//
// A Manager has the stores of versions, one for each owner, thins them out, and makes room in them. A Work is the work of one
// session: it makes its versions, restores them, and leaves the work to them when the session is deleted. Access is what people
// ask of versions, as engine.Versioner describes it.
//
// The folders belong to the session's user and are hostile: they are read and written with that account's rights, through
// os.Root.
package history
