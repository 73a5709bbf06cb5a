package sizes

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
)

// Engine is an engine as operators configured it.
type Engine struct {
	engine.Engine

	Name   string
	Label  string
	Limits Limits // of each of its sessions without a profile; zero: none, or unknown
	Local  bool   // its sessions use this machine's memory, so they count toward Capacity

	Profiles []Profile // the sizes that people choose from; the first is the default; none: all sessions have its limits

	LaunchTimeout time.Duration // how long a launch may go on without progress; zero: three minutes
}

// launchDeadline is how long a launch may go on without progress, unless operators set another time.
const launchDeadline = 3 * time.Minute

// Patience returns how long a launch on this engine may go on without progress.
func (e Engine) Patience() time.Duration { return cmp.Or(e.LaunchTimeout, launchDeadline) }

// Versioner returns what keeps the versions of work on this engine; false if it keeps none.
func (e Engine) Versioner() (engine.Versioner, bool) {
	keeper, ok := e.Engine.(engine.Versioner)
	if some, asks := e.Engine.(interface{ KeepsVersions() bool }); asks && !some.KeepsVersions() {
		return nil, false
	}
	return keeper, ok
}

// KeepsWarm reports whether sessions can be kept warm on an engine: they belong to nobody until they are claimed, which engines with
// versions know.
func (e Engine) KeepsWarm() bool {
	_, knows := e.Versioner()
	return knows
}

// RunsBatches reports whether an engine runs batch sessions.
func (e Engine) RunsBatches() bool {
	_, runs := e.Engine.(engine.Runner)
	if some, asks := e.Engine.(interface{ RunsBatches() bool }); asks {
		return some.RunsBatches()
	}
	return runs
}

// CallTime limits a call to an engine that should be answered at once.
const CallTime = 10 * time.Second

// Report is the engine's report on a session; an empty one if it has none.
func (e Engine) Report(ctx context.Context, logger *slog.Logger, id string) engine.Status {
	bounded, cancel := context.WithTimeout(ctx, CallTime)
	defer cancel()
	report, err := e.Status(bounded, id)
	if err != nil && fault.KindOf(err) != fault.NotFound && ctx.Err() == nil { // whoever asks goes on with what else is known
		logger.WarnContext(ctx, "an engine doesn't report on a session", "session", id, "error", err)
	}
	return report
}

// ForAll returns the size of sessions that nobody in particular asked for.
func (e Engine) ForAll(needs *catalog.Needs) Profile {
	if size, fits := smallest(e.sizes(Audience.Everyone), needs); needs != nil && fits {
		return size
	}
	standard, _ := e.Profile("")
	return standard
}

// ForBatch returns the smallest size for everybody that has what an entry needs; false if none has, or it needs nothing.
func (e Engine) ForBatch(needs *catalog.Needs) (found Profile, fits bool) {
	if needs == nil {
		return Profile{}, false
	}
	return smallest(e.sizes(Audience.Everyone), needs)
}

// Smallest returns the size that a start without a profile gets: the smallest that the caller may choose and that has what the
// entry needs, or the first if it needs nothing; false if there is none.
func (e Engine) Smallest(caller identity.Caller, needs *catalog.Needs) (found Profile, fits bool) {
	return smallest(e.Offered(caller), needs)
}

// choose returns the profile with a name that a caller may use, or the first of these for "". ProfileUnknown if there is none.
func (e Engine) choose(caller identity.Caller, name, location string) (Profile, error) {
	if len(e.Profiles) == 0 && name == "" {
		found, _ := e.Profile("")
		return found, nil
	}
	var names []string
	for _, one := range e.Profiles {
		if !one.For.Admits(caller) {
			continue
		}
		if name == "" || one.Name == name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	refused := fault.InvalidField(location, "There is no such size on this engine for your account; choose one of: %s.", strings.Join(names, ", "))
	if len(names) == 0 {
		refused = fault.InvalidField(location, "This engine has no sizes to choose from. Leave out profile.")
	}
	if len(names) == 0 && len(e.Profiles) > 0 {
		refused = fault.InvalidField(location, "This engine has no size for your account. Choose another engine, or ask the operators.")
	}
	refused.Code = fault.ProfileUnknown
	return Profile{}, refused
}

// Profile returns the profile with the name that a session has, or the default one for "": the first, or the engine's own
// limits if it has none. One that operators have removed is not known: the session has the engine's own limits then.
func (e Engine) Profile(name string) (found Profile, known bool) {
	for _, one := range e.Profiles {
		if name == "" || one.Name == name {
			return one, true
		}
	}
	return Profile{Limits: e.Limits}, name == ""
}

// sizes returns the sizes for some audiences; an engine without any has one for all, of its own limits.
func (e Engine) sizes(admits func(Audience) bool) []Profile {
	if len(e.Profiles) == 0 {
		return []Profile{{Limits: e.Limits}}
	}
	return slices.DeleteFunc(slices.Clone(e.Profiles), func(one Profile) bool { return !admits(one.For) })
}

// Offered returns the sizes that somebody may choose. Who isn't signed in may turn out to be anybody.
func (e Engine) Offered(caller identity.Caller) []Profile {
	return e.sizes(func(a Audience) bool { return caller.Email == "" || a.Admits(caller) })
}

// hubStarts is how many sessions a hub's one thread starts well at a time.
const hubStarts = 8

// StartsTogether returns how many sessions that nobody waits for may be starting at a time: on this machine one for each processor, as
// more only slow each other down.
func (e Engine) StartsTogether() int {
	if e.Local {
		return runtime.NumCPU()
	}
	return hubStarts
}
