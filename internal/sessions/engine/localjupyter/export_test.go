package localjupyter

// Abandon is what kill -9 of the gateway does to its sessions: nothing. From now on the engine touches no file and no
// process.
func (e *Engine) Abandon() {
	e.dead.Store(true)
	e.workers.Close()
	for _, known := range e.all() {
		known.release()
	}
	_ = e.versions.Close() // as the end of the process lets go of them
}

// Process returns the process of a running session's server.
func (e *Engine) Process(id string) (pid, userID int) {
	known := e.find(id)
	known.mu.Lock()
	defer known.mu.Unlock()
	return known.record.Server.PID, known.record.UserID
}

// Groups returns the folders of the control groups of a session that is live.
func (e *Engine) Groups(id string) []string {
	known := e.find(id)
	known.mu.Lock()
	defer known.mu.Unlock()
	return known.record.Groups
}

// Dir returns the folder of new sessions.
func (e *Engine) Dir() string { return e.options.Dir }

// RuntimeDir returns the folder of the sockets.
func (e *Engine) RuntimeDir() string { return e.options.RuntimeDir }

// Look looks at a running session now.
func (e *Engine) Look(id string) {
	known := e.find(id)
	known.mu.Lock()
	server, client := known.server, known.client
	known.mu.Unlock()
	known.checkServer(e.workers.Closing(), server, client)
}

// Evict makes room in the caches now.
func (e *Engine) Evict() { e.evict() }

// CheckReserve looks at the disks now.
func (e *Engine) CheckReserve() { e.disks.Check(e.workers.Closing()) }
