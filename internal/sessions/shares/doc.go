// Package shares decides who may see a session that isn't theirs, take a copy of its work, or enter it, and keeps who did.
//
// A share is for a person, for the members of a project, or for whoever has a link. What somebody may do is worked out anew each time
// from what is stored (Rights), for one caller or for everybody who is looking at something right now, so that the end of a share, of a
// membership or of an account needs no list of whom to tell. The page that shows a session to others is made in package viewing, and the
// session origin lets in those who may enter.
//
// The package may import sessions, and is imported by viewing and the wiring.
package shares
