package sessions

import (
	"context"
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

func (a Audience) admits(caller identity.Caller) bool {
	if caller.Operator || a.Everyone() {
		return true
	}
	_, domain, _ := strings.Cut(caller.Email, "@")
	return !a.Operators && slices.Contains(a.Domains, domain)
}

// Everyone reports whether nobody is left out.
func (a Audience) Everyone() bool { return !a.Operators && len(a.Domains) == 0 }

// spec returns what an engine is told about a profile.
func (p Profile) spec() engine.Profile {
	return engine.Profile{Name: p.Name, Memory: p.Limits.MemoryBytes, CPU: p.Limits.CPUs, Disk: p.Limits.DiskBytes, GPUs: p.GPUs, Image: p.Image}
}

// SessionProfile is the size of a session as its user sees it.
type SessionProfile struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// shown is nil for the zero value.
func (p Profile) shown() *SessionProfile {
	if p.Name == "" {
		return nil
	}
	return &SessionProfile{Name: p.Name, Label: p.Label}
}

// profile returns the profile with a name, or the default one for "": the first, or the engine's own limits if it has none.
func (e NamedEngine) profile(name string) (found Profile, known bool) {
	for _, one := range e.Profiles {
		if name == "" || one.Name == name {
			return one, true
		}
	}
	return Profile{Limits: e.Limits}, name == ""
}

// sizeOf returns the profile of a session of this engine. One that operators have removed is not known: the session has the
// engine's own limits then.
func (e NamedEngine) sizeOf(session Session) (found Profile, known bool) {
	return e.profile(session.origin.Profile)
}

// choose returns the profile with a name that a caller may use, or the first of these for "". ProfileUnknown if there is none.
func (e NamedEngine) choose(caller identity.Caller, name, location string) (Profile, error) {
	if len(e.Profiles) == 0 && name == "" {
		found, _ := e.profile("")
		return found, nil
	}
	var names []string
	for _, one := range e.Profiles {
		if !one.For.admits(caller) {
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

// errProfileGone says why a session can't be launched any more: operators have removed its profile, or its user may not
// choose it now.
var errProfileGone = fault.New(fault.ProfileUnknown, "The size that this session was started with isn't offered any more. Its work is kept: download it, or open a saved version in a new session.")

// EngineProfiles are the sizes that the caller may choose on an engine.
type EngineProfiles struct {
	Engine   string         `json:"engine"`
	Profiles []ProfileState `json:"profiles" nullable:"false" doc:"The first is the default; empty: the engine has one size alone"`
	Fits     bool           `json:"fits" doc:"Whether a start there that names none is accepted"`
	Chosen   string         `json:"chosen,omitempty" doc:"The one that such a start gets; absent if the engine has one size alone"`
	Needs    *catalog.Needs `json:"needs,omitempty" doc:"What the entry or project asks for; absent if nothing, or if none is named"`
}

// ProfileState is a size and how busy it is.
type ProfileState struct {
	PublicProfile

	Free    *int `json:"free,omitempty" doc:"How many more sessions could start at once; absent where that isn't known"`
	Waiting int  `json:"waiting" doc:"How many sessions of this size wait for a place"`

	Lacks []Lack `json:"lacks,omitempty" enum:"memory,cpus,gpus" doc:"What it doesn't have enough of for the entry or project"`
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

// needsOf returns what an entry or a project asks for, nil if nothing; NotFound if the caller doesn't see it.
func (s *Service) needsOf(ctx context.Context, resourceID, projectID string) (*catalog.Needs, error) {
	switch {
	case resourceID != "":
		entry, err := s.Entries.Get(ctx, resourceID)
		return entry.Needs, err
	case projectID != "":
		project, err := s.projects.Get(ctx, projectID)
		return project.RepositoryResource.Needs, err
	}
	return nil, nil //nolint:nilnil // nothing is named
}

// Profiles returns the sizes that the caller may choose, by engine, and which of them a start of an entry or a project gets;
// both ids may be empty.
func (s *Service) Profiles(ctx context.Context, resourceID, projectID string) ([]EngineProfiles, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	needs, err := s.needsOf(ctx, resourceID, projectID)
	if err != nil {
		return nil, err
	}
	result := make([]EngineProfiles, len(s.Engines))
	for i, one := range s.Engines {
		size, fits := smallest(one.offered(caller), needs)
		result[i] = EngineProfiles{Engine: one.Name, Profiles: []ProfileState{}, Fits: fits, Chosen: size.Name, Needs: needs}
		if len(one.Profiles) == 0 {
			continue
		}
		names, capacity := s.sharing(one)
		live, err := liveOn(ctx, s.store.db, names)
		if err != nil {
			return nil, err
		}
		taken, waiting := 0, map[string]int{}
		for _, session := range live {
			if session.queued() {
				size, _ := one.sizeOf(session)
				waiting[session.Engine+" "+size.Name]++
			} else {
				taken++
			}
		}
		for _, profile := range one.Profiles {
			if !profile.For.admits(caller) {
				continue
			}
			state := ProfileState{PublicProfile: profile.Public(), Waiting: waiting[one.Name+" "+profile.Name], Lacks: profile.lacks(needs)}
			if one.Local && capacity > 0 {
				free := max(0, capacity-taken)
				state.Free = &free
			}
			result[i].Profiles = append(result[i].Profiles, state)
		}
	}
	return result, nil
}
