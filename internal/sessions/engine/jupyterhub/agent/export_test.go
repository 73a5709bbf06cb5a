package agent

// Abandon is what kill -9 does to the agent: from now on it changes nothing. What it has open is closed.
func (a *Agent) Abandon() {
	a.dead.Store(true)
	_ = a.Close()
}
