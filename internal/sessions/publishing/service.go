package publishing

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/content/kept"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// Keeper makes files the content of entries: a kept.Service.
type Keeper interface {
	DescribeWork(ctx context.Context, of kept.WorkOf) (kept.UploadContents, error)
	AddWork(ctx context.Context, kind catalog.Type, edit contribute.Edit, work kept.NewWork) (kept.MadeVersion, *kept.UploadTask, error)
	RenewWork(ctx context.Context, id string, work kept.NewWork) (kept.MadeVersion, *kept.UploadTask, error)
}

// Entries are the entries that the caller sees: a catalog.Service.
type Entries interface {
	Readable(ctx context.Context, id string) (catalog.Entry, error)
}

// Options configure a Service.
type Options struct {
	Works   Works
	Keeper  Keeper
	Entries Entries
	// Record takes down what was done to a session.
	Record func(ctx context.Context, id string, action audit.Action) error
	Public string // the address of this server
	Now    func() time.Time
}

// Service publishes files of sessions.
type Service struct{ options Options }

// New returns a service.
func New(options Options) *Service { return &Service{options} }

// SessionContents are the files that can be published from a session.
type SessionContents struct {
	kept.UploadContents

	Version  string           `json:"version" format:"uuid" doc:"Of the session's work: publish it, and what was chosen is what becomes an entry"`
	At       time.Time        `json:"at" doc:"When the work was so"`
	NotSaved []engine.LeftOut `json:"notSaved" nullable:"false" doc:"Paths of the work that aren't in the version, and why: they can't be published"`
	Sources  []Origin         `json:"sources" nullable:"false" doc:"The entries from which the session came and of which the caller isn't an author: a new entry is related to them, and credits their authors"`
}

// Origin is an entry from which a session came.
type Origin struct {
	ID   string       `json:"id" format:"uuid"`
	Name string       `json:"name"`
	Type catalog.Type `json:"type" enum:"REPOSITORY,NOTEBOOK,DATASET"`
}

// versionName begins the names of versions that are made for this.
const versionName = "Before publishing"

// Contents makes a version of the work of one of the caller's sessions as it is now, and returns what is in it. With paths, which are files
// or folders, it describes those alone; with a version, that one.
func (s *Service) Contents(ctx context.Context, id, version string, paths []string) (found SessionContents, err error) {
	session, versioner, err := s.options.Works.of(ctx, id)
	if err != nil {
		return found, err
	}
	if version == "" {
		present, made, err := sessions.PresentVersion(ctx, versioner, session, versionName, versionName, s.options.Now())
		if err != nil {
			return found, err
		}
		if made {
			if err := s.options.Record(ctx, id, audit.NameVersion); err != nil {
				return found, err
			}
		}
		version, found.At, found.NotSaved = present.ID, present.At.UTC(), notSaved(present.LeftOut, paths)
	} else {
		known, err := versioner.Version(ctx, id, version)
		if err != nil {
			return found, err
		}
		found.At, found.NotSaved = known.At.UTC(), notSaved(known.LeftOut, paths)
	}
	found.Version = version
	if found.UploadContents, err = s.options.Keeper.DescribeWork(ctx, kept.WorkOf{Session: id, Version: version, Paths: paths}); err != nil {
		return found, err
	}
	found.Sources = []Origin{}
	for _, one := range s.sources(ctx, session) {
		if one.entry.Name == "" {
			continue
		}
		found.Sources = append(found.Sources, Origin{one.entry.ID, one.entry.Name, one.entry.Type})
	}
	return found, nil
}

// notSaved returns what a version has left out of chosen files and folders; of all without paths.
func notSaved(leftOut []engine.LeftOut, paths []string) []engine.LeftOut {
	found := []engine.LeftOut{}
	for _, one := range leftOut {
		if paths == nil || slices.ContainsFunc(paths, func(path string) bool { return one.What == path || strings.HasPrefix(one.What, path+"/") }) {
			one.What = versions.EscapePath(one.What)
			found = append(found, one)
		}
	}
	return found
}

// Publication says what is published, and as what.
type Publication struct {
	Version string    `json:"version,omitempty" doc:"Of the session's work; absent: as it is now, or where very much was published lately, as it was saved last"`
	Paths   []string  `json:"paths" minItems:"1" maxItems:"10000" nullable:"false" doc:"Files, and folders with all that is in them"`
	As      PublishAs `json:"as"`
	Note    string    `json:"note,omitempty" doc:"What is new in this version; up to 1,000 characters"`
	Confirm bool      `json:"confirm,omitempty" doc:"Publish files that look as if they had a secret in them"`
}

// PublishAs says what files become: one of the two.
type PublishAs struct {
	Entry string     `json:"entry,omitempty" format:"uuid" doc:"A new version of this entry, of which the caller is an author"`
	New   *NewPublic `json:"new,omitempty"`
}

// NewPublic is a new entry. What it doesn't say is taken from its files. Only its authors see it, until one of them makes it public.
type NewPublic struct {
	Type catalog.Type `json:"type" enum:"NOTEBOOK,DATASET,REPOSITORY"`
	contribute.Edit
}

// Published is what came of it.
type Published struct {
	ResourceID    string               `json:"resourceId" format:"uuid"`
	VersionNumber int                  `json:"versionNumber"`
	Warnings      []kept.SecretWarning `json:"warnings" nullable:"false" doc:"About files that were published all the same"`
	NotSaved      []engine.LeftOut     `json:"notSaved" nullable:"false" doc:"What was chosen and isn't in it, and why"`
}

// Publish makes files of one of the caller's sessions an entry, or a version of one. LooksSecret names files that look as if they had a
// secret in them, unless the caller confirms. What takes long is a task.
func (s *Service) Publish(ctx context.Context, id string, asked Publication) (done Published, task *kept.UploadTask, err error) {
	if (asked.As.Entry == "") == (asked.As.New == nil) {
		return done, nil, fault.InvalidField("body.as", "Name an entry that gets a new version, or say what the new entry is.")
	}
	if len(asked.Paths) == 0 {
		return done, nil, fault.InvalidField("body.paths", "Choose at least one file.")
	}
	found, err := s.Contents(ctx, id, asked.Version, asked.Paths)
	if err != nil {
		return done, nil, err
	}
	if len(found.Warnings) > 0 && !asked.Confirm {
		return done, nil, looksSecret(found.Warnings)
	}
	work := kept.NewWork{Of: kept.WorkOf{Session: id, Version: found.Version, Paths: asked.Paths}, Note: asked.Note}
	var made kept.MadeVersion
	if asked.As.Entry != "" {
		made, task, err = s.options.Keeper.RenewWork(ctx, asked.As.Entry, work)
	} else {
		session, unknown := s.options.Works.Sessions.Own(ctx, id)
		if unknown != nil {
			return done, nil, unknown
		}
		sources := s.sources(ctx, session)
		caller, _ := identity.From(ctx)
		work.Complete = func(edit *contribute.Edit) { complete(edit, asked.As.New.Edit, caller, sources) }
		made, task, err = s.options.Keeper.AddWork(ctx, asked.As.New.Type, asked.As.New.Edit, work)
	}
	return Published{made.ResourceID, made.Number, found.Warnings, found.NotSaved}, task, err
}

func looksSecret(warnings []kept.SecretWarning) error {
	refused := fault.New(fault.LooksSecret, "Some of these files look as if they had a secret in them, such as a key or a token. Leave them out, or confirm that they have none.")
	for _, one := range warnings {
		refused.Fields = append(refused.Fields, fault.Field{Location: one.Path, Message: string(one.Kind)})
	}
	return refused
}

// source is an entry from which a session came.
type source struct {
	entry   catalog.Entry
	address string // that the session has of it
}

// sources returns the entries from which a session came and of which the caller isn't an author. Of those that the caller can't see, only the id is
// known.
func (s *Service) sources(ctx context.Context, session sessions.Session) (found []source) {
	caller, _ := identity.From(ctx)
	parts := append([]sessions.Part{session.Project.Repository}, session.Project.Datasets...)
	if from := session.Source.Resource; from != nil {
		parts = append(parts, sessions.Part{ID: from.ID, Address: session.Source.Notebook})
	}
	for _, part := range parts {
		if part.ID == "" || part.Skipped || slices.ContainsFunc(found, func(one source) bool { return one.entry.ID == part.ID }) {
			continue
		}
		entry, err := s.options.Entries.Readable(ctx, part.ID)
		switch {
		case err != nil: // gone, or not visible to the caller any more: it is the source all the same
			found = append(found, source{catalog.Entry{ID: part.ID}, part.Address})
		case !slices.Contains(entry.Authors, caller.Email):
			found = append(found, source{entry, part.Address})
		}
	}
	for i := range found {
		found[i].address = s.addressOf(found[i])
	}
	return found
}

// addressOf returns the permanent address of an entry as the session has it.
func (s *Service) addressOf(one source) string {
	address := strings.TrimRight(s.options.Public, "/") + catalog.PermanentPath(one.entry.ID)
	if version, ok := catalog.ParseKept(one.address); ok {
		address += "/v" + strconv.Itoa(version.Number)
	}
	return address
}

// complete makes a new entry private, relates it to the entries that it is derived from, and credits their authors. The files may describe
// those entries instead of what was made of them, so what they say is only used if it is nobody else's.
func complete(edit *contribute.Edit, asked contribute.Edit, caller identity.Caller, sources []source) {
	private := string(catalog.PrivacyPrivate)
	edit.Privacy = &private
	if len(sources) == 0 {
		return
	}
	edit.DOI, edit.Version = asked.DOI, asked.Version
	related := []catalog.RelatedIdentifier{}
	if edit.RelatedIdentifiers != nil {
		related = *edit.RelatedIdentifiers
	}
	people := []catalog.Credit{}
	if edit.People != nil {
		people = slices.Clone(*edit.People)
	}
	if !slices.ContainsFunc(people, func(one catalog.Credit) bool { return one.Email == caller.Email || one.Name == caller.Name }) {
		people = slices.Insert(people, 0, catalog.Credit{Name: caller.Label(), Email: caller.Email})
	}
	for _, one := range sources {
		relation := catalog.RelatedIdentifier{Identifier: one.address, Type: "URL", Relation: "IsDerivedFrom"}
		if one.entry.DOI != "" {
			relation = catalog.RelatedIdentifier{Identifier: one.entry.DOI, Type: "DOI", Relation: "IsDerivedFrom"}
		}
		if !slices.ContainsFunc(related, func(known catalog.RelatedIdentifier) bool { return known.Identifier == relation.Identifier }) {
			related = append(related, relation)
		}
		for _, author := range authorsOf(one.entry) {
			if !slices.ContainsFunc(people, func(known catalog.Credit) bool { return same(known, author) }) && len(people) < catalog.AuthorsLimit {
				people = append(people, author)
			}
		}
	}
	edit.RelatedIdentifiers, edit.People = &related, &people
}

// authorsOf returns the authors of an entry as those who are credited for something made of it: with a role, and without their addresses, which
// only authors have in an entry.
func authorsOf(entry catalog.Entry) (authors []catalog.Credit) {
	for _, person := range entry.People {
		if person.Role != "" {
			continue
		}
		if person.Name == "" {
			person.Name = identity.LabelOf("", person.Email)
		}
		person.Role, person.Email, person.ID = "Other", "", ""
		authors = append(authors, person)
	}
	if len(authors) > 0 {
		return authors
	}
	for _, email := range entry.Authors {
		authors = append(authors, catalog.Credit{Name: identity.LabelOf("", email), Role: "Other"})
	}
	return authors
}

// same reports whether two credits are of one person.
func same(one, other catalog.Credit) bool {
	return one.ORCID != "" && one.ORCID == other.ORCID || one.Name != "" && strings.EqualFold(one.Name, other.Name)
}
