// Package uploads receives files from people: resumable by the tus protocol (1.0, with creation and termination), so a broken line, a
// closed laptop or a restarted server costs nothing that arrived.
//
// The bytes of an upload are a file in a folder of this server, whose size is how far it has come; who sends it, and what it is called, is
// in the database. An upload is seen by its account alone. It goes when it has become the content of an entry, when its account
// deletes it, or a week after its last byte.
package uploads
