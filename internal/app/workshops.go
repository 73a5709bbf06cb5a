package app

import (
	"context"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
	"cairn/internal/workshops"
	"cairn/internal/workshops/handouts"
)

// newWorkshops puts workshops on top of sessions.
func (p *program) newWorkshops(parts features, content sources) *workshops.Service {
	rooms := parts.sessions
	engines := sizes.Engines{All: p.engines, Capacity: p.config.Sessions.TotalCapacity(), Contact: p.config.Accounts.Contact}
	resolver := &sessions.Resolver{Sources: content}
	made := workshops.NewService(workshops.NewStore(p.db), workshops.Options{
		Sessions: rooms.Service, Seats: rooms.Seats, Requests: rooms.Shares, Work: rooms.Work, Entries: publicEntries{parts.entries}, Accounts: parts.accounts, Engines: engines,
		Files: handouts.NewGit(gitclient.Options{Web: p.webClient(), Logger: p.logger}, ""), Events: p.eventSlugs, Repository: resolver.RepositoryOf,
		Target: func(ctx context.Context, session sessions.Session) (engine.Target, error) {
			chosen, err := engines.Of(session.Engine)
			if err != nil {
				return engine.Target{}, err
			}
			return chosen.Target(ctx, session.ID)
		},
		PlaceBytes: p.config.Sessions.PlaceBytes(), Public: p.publicURL, Changed: rooms.Changes.Announce, Now: time.Now, Logger: p.logger,
	})
	rooms.FollowWorkshops(made)
	return made
}

// eventSlugs returns the slugs of the site's events.
func (p *program) eventSlugs() (slugs []string) {
	for _, event := range p.site.Current().Events {
		slugs = append(slugs, event.Slug)
	}
	return slugs
}

// publicEntries knows what strangers see.
type publicEntries struct{ entries *catalog.Service }

// IsPublic implements workshops.Entries.
func (p publicEntries) IsPublic(_ context.Context, id string) bool {
	_, err := p.entries.Get(context.Background(), id) // nobody is signed in there
	return err == nil
}
