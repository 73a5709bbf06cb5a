package config

// Metrics says where metrics can be read.
type Metrics struct {
	Listen string `yaml:"listen"` // host:port or unix:PATH; empty: nowhere
	Pprof  bool   `yaml:"pprof"`  // also the profiles of the Go program
}

// EngineNames returns the names of all engines.
func (c Config) EngineNames() []string {
	names := make([]string, len(c.Sessions.Engines))
	for i, one := range c.Sessions.Engines {
		names[i] = one.Name
	}
	return names
}
