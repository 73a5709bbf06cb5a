package sizes

import (
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
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

// Spec returns what an engine needs to know about a profile.
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

// ErrGone says why a session can't be launched any more: operators have removed its profile, or its user may not choose it now.
var ErrGone = fault.New(fault.ProfileUnknown, "The size that this session was started with isn't offered any more. Its work is kept: download it, or open a saved version in a new session.")

// Limits are a session's limits on its engine; zero: the engine's default.
type Limits struct {
	MemoryBytes int64   `json:"memoryBytes,omitempty"`
	CPUs        float64 `json:"cpus,omitempty"`
	DiskBytes   int64   `json:"diskBytes,omitempty"`
}
