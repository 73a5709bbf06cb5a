package contribute

import (
	"context"
	"errors"
	"math"
	"net/url"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Service adds and changes entries, from what their authors write or from the descriptors of their repositories.
type Service struct {
	Dependencies

	finder *metadata.Finder
}

// Dependencies are what contributions need, and the rules that operators set.
type Dependencies struct {
	Entries         *catalog.Service
	Hosts           *codehost.Hosts    // of repositories with descriptors
	DataCite        *codehost.DataCite // optional; with nil, gaps of descriptors aren't filled from it
	DescriptorNames []string           // names of descriptor files; messages use the first

	// AdditionsPerHour is how many entries an account may add in an hour; 0 means no limit. Operators may add any number.
	AdditionsPerHour int
	Content          ContentKeeper // optional; with nil, uploads can't become entries
	// IsFrame reports whether an address is the one at which this server shows an entry's notebook. Optional; with nil, no address is.
	IsFrame func(id, address string) bool
	Sources Sources // optional
}

// NewService returns a service. What a descriptor lacks is filled from other files of its repository, its host and DataCite.
func NewService(d Dependencies) *Service {
	d.Sources.lookups = newLookups()
	return &Service{Dependencies: d, finder: &metadata.Finder{Hosts: d.Hosts, DataCite: d.DataCite}}
}

// PostedCopy is what a caller saw of a descriptor when they decided to add or sync it; nil means not seen.
type PostedCopy struct {
	_ struct{} `additionalProperties:"true"`

	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	HeaderImage *string `json:"headerImage,omitempty" doc:"Stored; image.png stands for none"`
	Tags        *[]any  `json:"tags,omitempty" doc:"Texts or numbers"`
	Authors     *[]any  `json:"authors,omitempty" doc:"Texts, or groups of name, email and orcid"`
	Privacy     *string `json:"privacy,omitempty" doc:"PUBLIC is needed to add a repository whose descriptor names none, and to sync a private entry that becomes public"`
}

// NewRepository is what a caller decided about a repository that they add.
type NewRepository struct {
	PostedCopy

	AddAs string `json:"addAs,omitempty" enum:"adder" doc:"If no author in the descriptor has an address: the caller gets an author's rights as addedBy"`
}

// imagePlaceholder is what pages send as the header image of a repository. It is stored, and no image is shown.
const imagePlaceholder = "image.png"

// PullDescriptor reads the current descriptor of a repository. Invalid names every fault by line and field; NotFound
// means that the repository doesn't exist, is private, or has no descriptor on any of its branches. For a sync, a
// missing privacy is PUBLIC.
func (s *Service) PullDescriptor(ctx context.Context, githubURL string, sync bool) (Descriptor, error) {
	return s.pull(ctx, githubURL, s.DescriptorNames, sync)
}

// pull reads the first of some descriptors.
func (s *Service) pull(ctx context.Context, githubURL string, names []string, sync bool) (Descriptor, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Descriptor{}, err
	}
	repository, address, err := s.repositoryAt(githubURL)
	if err != nil && sync {
		return Descriptor{}, fault.Wrap(err, fault.Conflict, "This server can't read the repository %s, so its entry stays as it is.", fault.Quote(githubURL))
	}
	if err != nil {
		return Descriptor{}, err
	}
	ctx = codehost.AskedBy(ctx, caller.AccountID)
	file, err := s.Hosts.Fresh(ctx, repository, names, codehost.DescriptorLimit)
	if fault.KindOf(err) == fault.NotFound && s.Hosts.Connection(repository) != "" { // perhaps it is private
		ctx, file, err = s.asCaller(ctx, repository, names, err)
	}
	if fault.KindOf(err) == fault.NotFound {
		absent := fault.Wrap(err, fault.DescriptorMissing, "Failed to fetch %s. Please check the URL.", s.DescriptorNames[0])
		absent.Fields = []fault.Field{{Location: "query.githubUrl", Message: fault.MessageOf(err)}}
		absent.Draft = s.newDescriptor(ctx, source{repository: repository, address: address, file: s.DescriptorNames[0]}, caller)

		return Descriptor{}, absent
	}
	if errors.Is(err, codehost.ErrLarge) {
		file.Path, file.Content = s.DescriptorNames[0], make([]byte, codehost.DescriptorLimit+1)
	} else if err != nil {
		return Descriptor{}, err
	}
	from := source{repository: repository, address: address, file: file.Path, branch: file.Branch}.at(s.Hosts, false)
	isPrivate := codehost.IsPrivate(ctx)
	d, faults := readDescriptor(file.Content, sync || isPrivate)
	if len(faults) > 0 {
		refused := descriptorFault(file.Path, faults)
		refused.Draft = draftOf(from, file.Content, faults, caller.Email)
		return Descriptor{}, refused
	}
	d.RepositoryURL, d.File, d.Branch, d.from = address, file.Path, file.Branch, from
	if isPrivate { // whatever the file says
		d.Privacy, d.Audience, d.PrivacyMissing = catalog.PrivacyPrivate, catalog.AudienceHost, false
	}
	d.fillGaps(s.finder.Find(ctx, metadata.Work{Repository: repository, DOI: d.DOI}))
	if d.Audience != catalog.AudienceHost && d.Privacy == catalog.PrivacyPrivate && len(d.Authors) == 0 {
		return Descriptor{}, d.withoutAddress("Only its authors see a private entry, so one of them needs an e-mail address.", caller.Email)
	}
	return d, nil
}

// asCaller reads a descriptor again with the caller's connection, if that shows them a private repository. Otherwise absent stays the answer.
// The context is that in which the rest is read.
func (s *Service) asCaller(ctx context.Context, repository codehost.Repository, names []string, absent error) (context.Context, codehost.File, error) {
	caller, _ := identity.From(ctx)
	private := codehost.ReadAs(ctx, caller.AccountID)
	about, err := s.Hosts.Readable(ctx, caller.AccountID, repository)
	switch {
	case fault.KindOf(err) == fault.NotFound, fault.CodeOf(err) == fault.NotConnected, err == nil && !about.Private:
		return ctx, codehost.File{}, absent
	case err != nil:
		return ctx, codehost.File{}, err
	}
	file, err := s.Hosts.Fresh(private, repository, names, codehost.DescriptorLimit)
	return private, file, err
}

// FindMetadata returns what others say about the work at an address, or with a DOI, without e-mail addresses.
func (s *Service) FindMetadata(ctx context.Context, address, doi string) (metadata.Found, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return metadata.Found{}, err
	}
	found := s.finder.Find(codehost.AskedBy(ctx, caller.AccountID), metadata.WorkAt(address, doi))
	return found.WithoutAddresses(), nil
}

// repositoryAt returns the repository of an address that somebody typed, and the address for its entry.
func (s *Service) repositoryAt(githubURL string) (codehost.Repository, string, error) {
	invalid := fault.InvalidField("query.githubUrl", "Invalid GitHub URL format.")
	repository, err := codehost.Parse(githubURL)
	if err != nil || !s.Hosts.Knows(repository) {
		return repository, "", invalid
	}
	path := "/" + repository.Owner + "/" + repository.Name
	address := (&url.URL{Scheme: "https", Host: repository.Host, Path: path}).String()
	if given := strings.TrimSpace(githubURL); strings.HasPrefix(given, "http:") && catalog.ValidRepository(given) {
		// On a loopback address, where the demo's repositories are: their addresses need ".git".
		address = (&url.URL{Scheme: "http", Host: repository.Host, Path: path + ".git"}).String()
	}
	if !catalog.ValidRepository(address) || isKept(address) {
		return repository, "", invalid
	}
	return repository, address, nil
}

func descriptorFault(file string, faults []fault.Field) *fault.Fault {
	sentences := make([]string, len(faults))
	for i, one := range faults {
		sentences[i] = one.Location + ": " + one.Message
	}
	invalid := fault.New(fault.DescriptorInvalid, "%s can't be used as it is. %s", file, strings.Join(sentences, "; "))
	invalid.Fields = faults
	return invalid
}

// AddRepository creates an entry for a repository from its current descriptor. The caller must be one of its authors
// (Forbidden, with the line to add). It returns Conflict when the descriptor isn't what the caller saw, or when the
// repository is in the catalog already, with a link to its entry if the caller may see it.
func (s *Service) AddRepository(ctx context.Context, githubURL string, posted NewRepository) (catalog.Resource, error) {
	if err := identity.RefuseDisabled(ctx); err != nil {
		return catalog.Resource{}, err
	}
	d, err := s.PullDescriptor(ctx, githubURL, false)
	if err != nil {
		return catalog.Resource{}, err
	}
	if d, err = s.seen(ctx, d, posted.PostedCopy, false); err != nil {
		return catalog.Resource{}, err
	}
	addedBy, err := d.decide(identity.Email(ctx), posted)
	if err != nil {
		return catalog.Resource{}, err
	}
	r := catalog.Entry{Type: catalog.Repository, RepositoryURL: d.RepositoryURL, AddedBy: addedBy}
	d.applyTo(&r)
	if posted.HeaderImage != nil {
		r.HeaderImage = *posted.HeaderImage
	}
	about, err := s.about(d.reading(ctx), d.from.repository)
	if err != nil && d.Audience == catalog.AudienceHost { // what it is at its host decides who sees the entry
		return catalog.Resource{}, err
	}
	if err == nil {
		r.HostID = about.ID
		r.RepositoryURL = currentAddress(r.RepositoryURL, d.from.repository, about)
	}
	r.Normalize()
	if err := refuse(r.Check()); err != nil {
		return catalog.Resource{}, err
	}
	if err := s.countAddition(ctx); err != nil {
		return catalog.Resource{}, err
	}
	added, existing, err := s.Entries.CreateOnce(ctx, r, s.commit(ctx, d))
	if err == nil && len(existing) > 0 {
		err = s.duplicate(ctx, existing, "repository")
	}
	return added, err
}

// countAddition counts an entry that is about to be added; TooMany if the caller has added as many as they may.
func (s *Service) countAddition(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	if caller.Operator || s.AdditionsPerHour == 0 {
		return nil
	}
	wait, err := s.Entries.CountAddition(ctx, caller.AccountID, s.AdditionsPerHour)
	if err == nil && wait > 0 {
		refused := fault.New(fault.TooMany, "You've added %d entries in the last hour, the most this server allows. You can add the next one in %d minutes.",
			s.AdditionsPerHour, int(math.Ceil(wait.Minutes())))
		refused.RetryAfter, refused.Limit = wait, "additions"
		err = refused
	}
	return err
}

// duplicate returns EntryExists for what is in the catalog already, with a link to its entry if the caller may see it.
func (s *Service) duplicate(ctx context.Context, ids []string, what string) error {
	for _, id := range ids {
		if entry, err := s.Entries.Readable(ctx, id); err == nil {
			there := fault.New(fault.EntryExists, "This %s is already in the catalog: %s.", what, fault.Quote(entry.Name))
			there.Link = pageOf(entry)
			return there
		}
	}
	return fault.New(fault.EntryExists, "This %s is already in the catalog as a private entry by other authors. Ask them to add you.", what)
}

// SyncRepository updates the entry of a repository from its descriptor, for its authors. It returns Conflict when the
// descriptor isn't what the caller saw, or when the entry changed meanwhile.
func (s *Service) SyncRepository(ctx context.Context, id string, posted PostedCopy) (catalog.Resource, error) {
	if err := identity.RefuseDisabled(ctx); err != nil {
		return catalog.Resource{}, err
	}
	before, err := s.Entries.Readable(ctx, id)
	if err != nil {
		return catalog.Resource{}, err
	}
	if !before.DeletableBy(identity.Email(ctx)) {
		return catalog.Resource{}, fault.New(fault.NotAuthor, "Only the authors of %s can sync it: %s.", fault.Quote(before.Name), before.AuthorsText())
	}
	if before.Type != catalog.Repository {
		return catalog.Resource{}, fault.New(fault.Conflict, "%s isn't a repository, so there is no descriptor to sync it with.", fault.Quote(before.Name))
	}
	d, err := s.PullDescriptor(ctx, before.RepositoryURL, true)
	if err != nil {
		return catalog.Resource{}, err
	}
	if d, err = s.seen(ctx, d, posted, true); err != nil {
		return catalog.Resource{}, err
	}
	if len(d.Authors) == 0 && before.AddedBy == "" {
		return catalog.Resource{}, d.withoutAddress("No author has an e-mail address.", identity.Email(ctx))
	}
	if before.Privacy == catalog.PrivacyPrivate && d.Privacy == catalog.PrivacyPublic && (posted.Privacy == nil || folded(*posted.Privacy) != "public") {
		return catalog.Resource{}, fault.New(fault.Conflict, "This sync makes the private entry public, because %s %s. Send privacy: \"PUBLIC\" to confirm it.",
			d.File, map[bool]string{true: "has no privacy field", false: "says so"}[d.PrivacyMissing])
	}
	after := before
	d.applyTo(&after)
	d.found.Keep(d.said, before, &after)
	if about, err := s.about(d.reading(ctx), d.from.repository); err == nil {
		if before.HostID != "" && about.ID != before.HostID {
			return catalog.Resource{}, fault.New(fault.Conflict, "%s is now a different repository from the one in this entry. The entry stays as it is.", d.RepositoryURL)
		}
		after.HostID = about.ID
		after.RepositoryURL = currentAddress(before.RepositoryURL, d.from.repository, about)
	}
	if image := posted.HeaderImage; image != nil && *image != imagePlaceholder {
		after.HeaderImage = *image
	}
	after.Normalize()
	if err := refuse(after.Check()); err != nil {
		return catalog.Resource{}, err
	}
	return s.Entries.Sync(ctx, after, before.UpdatedAt, s.commit(ctx, d))
}
