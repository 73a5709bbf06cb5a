package sessions

import (
	"context"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/sizes"
)

// EngineProfiles are the sizes that the caller may choose on an engine.
type EngineProfiles struct {
	Engine   string         `json:"engine"`
	Profiles []ProfileState `json:"profiles" nullable:"false" doc:"The first is the default; empty: the engine has one size alone"`
	Fits     bool           `json:"fits" doc:"Whether a start there that names none is accepted"`
	Chosen   string         `json:"chosen,omitempty" doc:"The one that such a start gets; absent if the engine has one size alone"`
	Needs    *catalog.Needs `json:"needs,omitempty" doc:"What the entry or project asks for; absent if nothing, or if none is named"`

	RunCode fault.Code `json:"runCode,omitempty" enum:"language_missing" doc:"The code that a start there is refused with, whatever its size"`
	RunNote string     `json:"runNote,omitempty" doc:"With runCode: the reason, as a sentence"`
}

// ProfileState is a size and how busy it is.
type ProfileState struct {
	sizes.PublicProfile

	Free    *int `json:"free,omitempty" doc:"How many more sessions could start at once; absent where that isn't known"`
	Waiting int  `json:"waiting" doc:"How many sessions of this size wait for a place"`

	Lacks []sizes.Shortfall `json:"lacks,omitempty" enum:"memory,cpus,gpus" doc:"What it doesn't have enough of for the entry or project"`
}

// Profiles returns the sizes that the caller may choose, by engine, and which of them a start of an entry or a project gets;
// both ids may be empty.
func (s *Service) Profiles(ctx context.Context, resourceID, projectID string) ([]EngineProfiles, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	needs, language, err := s.Resolver.asksFor(ctx, resourceID, projectID)
	if err != nil {
		return nil, err
	}
	result := make([]EngineProfiles, len(s.Engines.All))
	for i, one := range s.Engines.All {
		size, fits := one.Smallest(caller, needs)
		result[i] = EngineProfiles{Engine: one.Name, Profiles: []ProfileState{}, Fits: fits, Chosen: size.Name, Needs: needs}
		if note := one.RefuseLanguage(ctx, language); note != "" {
			result[i].Fits, result[i].RunCode, result[i].RunNote = false, fault.LanguageMissing, note
		}
		if len(one.Profiles) == 0 {
			continue
		}
		names, capacity := s.Engines.Sharing(one)
		live, err := liveOn(ctx, s.store.db, names)
		if err != nil {
			return nil, err
		}
		taken, waiting := 0, map[string]int{}
		for _, session := range live {
			if session.Queued() {
				size, _ := one.Profile(session.Source.Profile)
				waiting[session.Engine+" "+size.Name]++
			} else {
				taken++
			}
		}
		for _, profile := range one.Profiles {
			if !profile.For.Admits(caller) {
				continue
			}
			state := ProfileState{PublicProfile: profile.Public(), Waiting: waiting[one.Name+" "+profile.Name], Lacks: profile.Shortfalls(needs)}
			if one.Local && capacity > 0 {
				free := max(0, capacity-taken)
				state.Free = &free
			}
			result[i].Profiles = append(result[i].Profiles, state)
		}
	}
	return result, nil
}
