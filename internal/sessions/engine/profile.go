package engine

// Profile is the size that a session was given. What is zero or empty is up to the engine.
type Profile struct {
	Name   string  // as operators named it
	Memory int64   // bytes
	CPU    float64 // processors
	Disk   int64   // bytes of its files
	GPUs   int
	Image  string // of the container that it runs in; only engines that run containers are given one
}
