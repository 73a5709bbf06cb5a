package sizes

import (
	"slices"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/identity"
	"cairn/internal/sessions/engine"
)

// Profile is a size of sessions that operators offer on an engine.
type Profile struct {
	Name   string
	Label  string
	Limits Limits // zero fields: the engine's own
	GPUs   int
	Image  string // of the container; "": the engine's own
	For    Audience
}

// Audience says who may choose a profile; the zero value: everyone. Operators may choose all of them.
type Audience struct {
	Operators bool     // nobody else
	Domains   []string // only people with e-mail addresses of these domains, compared whole and in lower case
}

// Admits reports whether somebody may choose the profile.
func (a Audience) Admits(caller identity.Caller) bool {
	if caller.Operator || a.Everyone() {
		return true
	}
	_, domain, _ := strings.Cut(caller.Email, "@")
	return !a.Operators && slices.Contains(a.Domains, domain)
}

// Everyone reports whether nobody is left out.
func (a Audience) Everyone() bool { return !a.Operators && len(a.Domains) == 0 }

// Spec returns what an engine is told about a profile.
func (p Profile) Spec() engine.Profile {
	return engine.Profile{Name: p.Name, Memory: p.Limits.MemoryBytes, CPU: p.Limits.CPUs, Disk: p.Limits.DiskBytes, GPUs: p.GPUs, Image: p.Image}
}

// SessionProfile is the size of a session as its user sees it.
type SessionProfile struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// Shown returns what a session's user sees; nil for the zero value.
func (p Profile) Shown() *SessionProfile {
	if p.Name == "" {
		return nil
	}
	return &SessionProfile{Name: p.Name, Label: p.Label}
}

// PublicProfile is a size as everybody may know it.
type PublicProfile struct {
	Name   string `json:"name"`
	Label  string `json:"label"`
	Limits Limits `json:"limits"`
	GPUs   int    `json:"gpus,omitempty"`
}

// Public returns what everybody may know of a profile.
func (p Profile) Public() PublicProfile {
	return PublicProfile{Name: p.Name, Label: p.Label, Limits: p.Limits, GPUs: p.GPUs}
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
	return smallest(e.offered(caller), needs)
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

// ErrGone says why a session can't be launched any more: operators have removed its profile, or its user may not choose it now.
var ErrGone = fault.New(fault.ProfileUnknown, "The size that this session was started with isn't offered any more. Its work is kept: download it, or open a saved version in a new session.")
