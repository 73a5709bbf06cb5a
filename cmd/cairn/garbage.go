package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The room that garbage may take beside what is in use: the search index of a large catalog is most of the memory and
// stays, and a third of it is enough; a small heap gets more, or the collector would run at every few requests.
const (
	leastGarbagePercent = 30
	mostGarbagePercent  = 1000
	garbageRoom         = 64 << 20 // bytes
)

// garbagePercent is GOGC for a heap of which so many bytes are in use.
func garbagePercent(used uint64) int {
	return int(min(max(garbageRoom*100/max(used, 1), leastGarbagePercent), mostGarbagePercent))
}

// tuneGarbage keeps GOGC at garbagePercent from now on.
func tuneGarbage() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := leastGarbagePercent
	debug.SetGCPercent(percent)
	// The only sign that a collection is over is that it found something of no use any more.
	type sign struct{ _ [16]byte }
	var again func(*sign)
	again = func(found *sign) {
		metrics.Read(used)
		if next := garbagePercent(used[0].Value.Uint64()); next != percent {
			percent = next
			debug.SetGCPercent(percent)
		}
		runtime.SetFinalizer(found, again)
	}
	runtime.SetFinalizer(new(sign), again)
}
