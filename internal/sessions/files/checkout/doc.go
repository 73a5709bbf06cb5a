// Package checkout copies repositories into sessions. It keeps a bare clone of each repository from elsewhere, updates it when
// a session starts, and clones from it, so that a host that doesn't answer stops no session. git runs in boxes, reaches public
// addresses alone, through a forwardproxy.Proxy, and reads no configuration but this server's.
package checkout
