package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How much garbage may grow beside live memory: the search index of a large catalog is most of the memory and stays,
// and a third of it is enough; a small heap gets more, or the collector would run every few requests.
const (
	leastGarbagePercent = 30
	mostGarbagePercent  = 1000
	garbageRoom         = 64 << 20 // bytes
)

// garbagePercent returns GOGC for a heap with this many live bytes.
func garbagePercent(used uint64) int {
	return int(min(max(garbageRoom*100/max(used, 1), leastGarbagePercent), mostGarbagePercent))
}

// tuneGarbage keeps GOGC at garbagePercent from now on.
func tuneGarbage() {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := leastGarbagePercent
	debug.SetGCPercent(percent)
	// The end of a collection shows only in that it has found something unreachable.
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
