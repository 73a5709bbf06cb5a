// Package origin is the session origin: the listener through which browsers reach the servers of sessions, and the only way
// to them. Jupyter behind it accepts a request with a token and then skips its own checks of origins, so every check is made
// here, before anything is forwarded.
//
//	GET  /.cairn/s/{id}/enter      exchanges a ticket for a cookie
//	GET  /.cairn/s/{id}/launch     the page that shows a session starting; events streams its changes
//	POST /.cairn/s/{id}/start      starts an ended session again; cancel stops it
//	GET  /.cairn/s/{id}/ssh        a websocket to the session's SSH server, for the holder of a ticket
//	GET  /.cairn/s/{id}/work.zip   a session's work, or a version of it, for a link that works once
//	GET  /.cairn/s/{id}/state      what the script in a session's pages shows; POST keep puts the idle stop off
//	POST /.cairn/s/{id}/finish     has a notebook executed to its end; finish/cancel ends that
//	     /s/{id}/...               the session's server
//
// Who may enter is stored as digests of secrets in session_access: a ticket, valid for a minute, becomes a cookie once. What a
// cookie allows is cached for a second (access), and watched while a connection lives on. Open websockets (Sockets), streams of
// events (Streams) and grants (access) each have their own type, which owns its lock.
//
// The package may import sessions, shares, jobs, sizes, diagnosis and the contract of engines, and is imported by the wiring alone.
package origin
