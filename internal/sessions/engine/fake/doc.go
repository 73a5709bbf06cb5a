// Package fake is an engine for tests: sessions live in memory, launches go as far as the test lets them, and a session's
// server is an http.Handler in this process, websockets included. The Store is the machine: it outlives the engines that
// are opened on it, as processes and folders outlive a server that was killed. It passes enginetest.Run.
package fake
