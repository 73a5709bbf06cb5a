package sizes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
)

// Engines are all configured engines.
type Engines struct {
	All      []Engine // the first is the default
	Capacity int      // the maximum number of sessions that all local engines run together; more launches are queued; zero: no limit
	Contact  string   // the contact for questions about accounts
	Runs     string   // the engine that runs batch sessions; "": the first that can

	VersionQuota int64 // bytes that the versions of an account may take on all engines together; 0: no limit
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
func (e Engines) VersionerOf(name string) (engine.Versioner, error) {
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

// StoredVersions returns how many bytes the versions of an account take on all engines but one; "": on all. With an error, it is
// what those engines say that answered.
func (e Engines) StoredVersions(ctx context.Context, owner, except string) (total int64, err error) {
	for _, one := range e.All {
		keeper, keeps := one.Versioner()
		if !keeps || one.Name == except {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, CallTime)
		found, failed := keeper.History(bounded, owner)
		cancel()
		err = errors.Join(err, failed)
		total += found.StoredBytes
	}
	return total, err
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

// Batch returns the engine of batch sessions; NotRunnable if there is none.
func (e Engines) Batch() (Engine, engine.Runner, error) {
	for _, one := range e.All {
		if (e.Runs == "" || one.Name == e.Runs) && one.RunsBatches() {
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

// KeepsWarm reports whether an engine is the one with a name on which sessions are kept warm; "" is the first that can.
func (e Engines) KeepsWarm(one Engine, name string) bool {
	if name != "" {
		return one.Name == name && one.KeepsWarm()
	}
	first := slices.IndexFunc(e.All, Engine.KeepsWarm)
	return first >= 0 && e.All[first].Name == one.Name
}

// Choice is what somebody asks for a new session, and what its entry asks for.
type Choice struct {
	Engine  string // "": the first that has a size with what the entry needs
	Profile string // "": the smallest that has what the entry needs, or the first
	Needs   *catalog.Needs
	// Language is the programming language of the notebook that opens; "": unknown, or none in particular.
	Language  string
	Interface Interface // in which it is opened; "": the first that its engine has
	Prefix    string    // before the names of fields in faults: "query." or "body."
}

// Choose returns the engine and the size of a new session. Any size may be asked for, also one that is too small;
// NoProfileFits if none is asked for and none has what the entry needs; LanguageMissing without a kernel for its language,
// InterfaceUnknown without the interface.
func (e Engines) Choose(ctx context.Context, caller identity.Caller, asked Choice) (Engine, Profile, error) {
	chosen, err := e.Named(asked.Engine, asked.Prefix+"engine")
	if err != nil {
		return Engine{}, Profile{}, err
	}
	able, where := []Engine{chosen}, "on this engine"
	if asked.Engine == "" {
		able, where = e.All, "here"
	}
	if able, err = speaking(ctx, able, asked.Language); err != nil {
		return Engine{}, Profile{}, err
	}
	if able, err = showing(able, asked.Interface); err != nil {
		return Engine{}, Profile{}, err
	}
	chosen = able[0]
	if asked.Profile != "" || asked.Needs == nil {
		size, err := chosen.choose(caller, asked.Profile, asked.Prefix+"profile")
		return chosen, size, err
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

// Unfit returns why no session here has what an entry asks for, as a sentence; "" if somebody may choose a size that has.
func Unfit(engines []Engine, needs *catalog.Needs, reader identity.Caller) string {
	if needs == nil || len(engines) == 0 {
		return ""
	}
	return unfit(engines, needs, reader, "here")
}

func unfit(engines []Engine, needs *catalog.Needs, reader identity.Caller, where string) string {
	var offered, all []Profile
	for _, one := range engines {
		offered = append(offered, one.Offered(reader)...)
		all = append(all, one.Offered(identity.Caller{})...)
	}
	if _, fits := smallest(offered, needs); fits {
		return ""
	}
	text := "Its authors ask for " + sizeText(needs.MemoryBytes, needs.CPUs, needs.GPUs, false) + ", and "
	_, forOthers := smallest(all, needs)
	switch {
	case len(offered) == 0:
		return text + "your account can't choose any size of session " + where + "."
	case forOthers:
		text += "no size of session that your account can choose " + where + " has that. "
	default:
		text += "no size of session " + where + " has that. "
	}
	which := "The largest"
	if len(offered) == 1 {
		which = "The only one"
	}
	largest := slices.MaxFunc(offered, func(one, other Profile) int {
		if needs.GPUs == 0 { // a size with a GPU may have less of what is missed
			one.GPUs, other.GPUs = 0, 0
		}
		return bySize(one, other)
	})
	return text + which + " has " + sizeText(largest.Limits.MemoryBytes, largest.Limits.CPUs, largest.GPUs, needs.GPUs > 0) + "."
}
