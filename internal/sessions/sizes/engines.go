package sizes

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
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

// Limits are a session's limits on its engine; zero: the engine's default.
type Limits struct {
	MemoryBytes int64   `json:"memoryBytes,omitempty"`
	CPUs        float64 `json:"cpus,omitempty"`
	DiskBytes   int64   `json:"diskBytes,omitempty"`
}

// Versioner returns what keeps the versions of work on this engine; false if it keeps none.
func (e Engine) Versioner() (engine.Historian, bool) {
	keeper, ok := e.Engine.(engine.Historian)
	return keeper, ok
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

// RunsBatches reports whether an engine runs batch sessions.
func (e Engine) RunsBatches() bool {
	_, runs := e.Engine.(engine.Runner)
	return runs && e.Local
}

// Engines are all configured engines.
type Engines struct {
	All      []Engine // the first is the default
	Capacity int      // the maximum number of sessions that all local engines run together; more launches are queued; zero: no limit
	Contact  string   // the contact for questions about accounts
}

// Of returns the engine with the name that a session has; Conflict if it was removed from the configuration.
func (e Engines) Of(name string) (Engine, error) {
	for _, one := range e.All {
		if one.Name == name {
			return one, nil
		}
	}
	return Engine{}, fault.New(fault.Conflict, "%s", e.removedReason(name))
}

func (e Engines) removedReason(name string) string {
	return fmt.Sprintf("This session's engine, “%s”, is no longer part of this server. The work is kept there. Ask the operators%s for it.",
		name, ContactText(e.Contact))
}

// errNoVersions refuses calls about versions of sessions whose engine keeps none.
var errNoVersions = fault.New(fault.NotFound, "This session's engine keeps no versions of work.")

// VersionerOf returns what keeps the versions on the engine with the name that a session has; NotFound if that keeps none,
// Conflict if it was removed from the configuration.
func (e Engines) VersionerOf(name string) (engine.Historian, error) {
	chosen, err := e.Of(name)
	if err != nil {
		return nil, err
	}
	keeper, ok := chosen.Versioner()
	if !ok {
		return nil, errNoVersions
	}
	return keeper, nil
}

// Named returns the engine with a name that somebody asks for, or the first for ""; EngineUnknown if there is none.
func (e Engines) Named(name, location string) (Engine, error) {
	var names []string
	for _, candidate := range e.All {
		if name == "" || candidate.Name == name {
			return candidate, nil
		}
		names = append(names, candidate.Name)
	}
	unknown := fault.InvalidField(location, "There is no engine with that name; choose one of: %s.", strings.Join(names, ", "))
	unknown.Code = fault.EngineUnknown
	return Engine{}, unknown
}

// Batch returns the engine of batch sessions, which is the first on this machine that can; NotRunnable if there is none.
func (e Engines) Batch() (Engine, engine.Runner, error) {
	for _, one := range e.All {
		if one.RunsBatches() {
			runner, _ := one.Engine.(engine.Runner)
			return one, runner, nil
		}
	}
	return Engine{}, nil, fault.New(fault.NotRunnable, "Entries aren't run on this server.")
}

// Sharing returns the names of the engines that share their capacity with this one, and that capacity; zero: no limit.
func (e Engines) Sharing(one Engine) (names []string, capacity int) {
	if !one.Local {
		return []string{one.Name}, 0
	}
	for _, other := range e.All {
		if other.Local {
			names = append(names, other.Name)
		}
	}
	return names, e.Capacity
}

// IsFirstLocal reports whether an engine is the first one that uses this machine's memory.
func (e Engines) IsFirstLocal(one Engine) bool {
	first := slices.IndexFunc(e.All, func(other Engine) bool { return other.Local })
	return first >= 0 && e.All[first].Name == one.Name
}

// Choice is what somebody asks for a new session, and what its entry asks for.
type Choice struct {
	Engine  string // "": the first that has a size with what the entry needs
	Profile string // "": the smallest that has what the entry needs, or the first
	Needs   *catalog.Needs
	Prefix  string // before the names of fields in faults: "query." or "body."
}

// Choose returns the engine and the size of a new session. Any size may be asked for, also one that is too small;
// NoProfileFits if none is asked for and none has what the entry needs.
func (e Engines) Choose(caller identity.Caller, asked Choice) (Engine, Profile, error) {
	chosen, err := e.Named(asked.Engine, asked.Prefix+"engine")
	if err != nil {
		return Engine{}, Profile{}, err
	}
	if asked.Profile != "" || asked.Needs == nil {
		size, err := chosen.choose(caller, asked.Profile, asked.Prefix+"profile")
		return chosen, size, err
	}
	able, where := []Engine{chosen}, "on this engine"
	if asked.Engine == "" {
		able, where = e.All, "here"
	}
	for _, one := range able {
		if size, fits := one.Smallest(caller, asked.Needs); fits {
			return one, size, nil
		}
	}
	return Engine{}, Profile{}, fault.New(fault.NoProfileFits, "%s", unfit(able, asked.Needs, caller, where))
}

// ContactText returns the contact of the operators in parentheses, to follow the word "operators"; "" if there is none.
func ContactText(contact string) string {
	if contact == "" {
		return ""
	}
	return " (" + contact + ")"
}
