package contribute

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/codehost"
	"cairn/internal/fault"
	"cairn/internal/identity"
)

// Service adds entries and changes them, as their authors or the descriptors of their repositories say.
type Service struct {
	entries         *catalog.Service
	hosts           *codehost.Hosts
	descriptorNames []string
}

// NewService returns a service that reads descriptors, files of one of these names, from hosts. People are told the first
// name.
func NewService(entries *catalog.Service, hosts *codehost.Hosts, descriptorNames []string) *Service {
	return &Service{entries, hosts, descriptorNames}
}

// PostedCopy is what somebody saw of a descriptor when they decided to add or sync it; what is nil they did not see.
type PostedCopy struct {
	_ struct{} `additionalProperties:"true"`

	Name        *string   `json:"name,omitempty"`
	Description *string   `json:"description,omitempty"`
	HeaderImage *string   `json:"headerImage,omitempty" doc:"Stored; image.png stands for none"`
	Tags        *[]string `json:"tags,omitempty"`
	Authors     *[]string `json:"authors,omitempty"`
	Privacy     *string   `json:"privacy,omitempty"`
}

// imagePlaceholder is what pages send as the header image of a repository. It is stored, and nothing is shown for it.
const imagePlaceholder = "image.png"

// PullDescriptor reads the descriptor of a repository as it is now. Invalid names every fault by line and field;
// NotFound when there is no such repository, or none of its branches has a descriptor, or it is private. For a sync a
// missing privacy is PUBLIC.
func (s *Service) PullDescriptor(ctx context.Context, githubURL string, sync bool) (Descriptor, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Descriptor{}, err
	}
	repository, address, err := s.repositoryAt(githubURL)
	if err != nil && sync {
		return Descriptor{}, fault.Wrap(err, fault.Conflict, "This server cannot look into the repository %s, so its entry stays as it is.", fault.Quote(githubURL))
	}
	if err != nil {
		return Descriptor{}, err
	}
	file, err := s.hosts.Fresh(codehost.AskedBy(ctx, caller.AccountID), repository, s.descriptorNames, codehost.DescriptorLimit)
	if fault.KindOf(err) == fault.NotFound {
		absent := fault.Wrap(err, fault.DescriptorMissing, "Failed to fetch %s. Please check the URL.", s.descriptorNames[0])
		absent.Fields = []fault.Field{{Location: "query.githubUrl", Message: fault.MessageOf(err)}}
		return Descriptor{}, absent
	}
	if fault.KindOf(err) == fault.TooLarge {
		file.Path, file.Content = s.descriptorNames[0], make([]byte, codehost.DescriptorLimit+1)
	} else if err != nil {
		return Descriptor{}, err
	}
	d, faults := readDescriptor(file.Content, sync)
	if len(faults) > 0 {
		return Descriptor{}, descriptorFault(file.Path, faults)
	}
	d.RepositoryURL, d.File, d.Branch = address, file.Path, file.Branch
	return d, nil
}

// repositoryAt returns the repository of an address that somebody typed, and the address that its entry gets.
func (s *Service) repositoryAt(githubURL string) (codehost.Repository, string, error) {
	invalid := fault.InvalidField("query.githubUrl", "Invalid GitHub URL format.")
	repository, err := codehost.Parse(githubURL)
	if err != nil || !s.hosts.Knows(repository) {
		return repository, "", invalid
	}
	path := "/" + repository.Owner + "/" + repository.Name
	address := (&url.URL{Scheme: "https", Host: repository.Host, Path: path}).String()
	if given := strings.TrimSpace(githubURL); strings.HasPrefix(given, "http:") && catalog.ValidRepository(given) {
		// On a loopback address, where the repositories of the demo are: they have no address without ".git".
		address = (&url.URL{Scheme: "http", Host: repository.Host, Path: path + ".git"}).String()
	}
	if !catalog.ValidRepository(address) {
		return repository, "", invalid
	}
	return repository, address, nil
}

func descriptorFault(file string, faults []fault.Field) *fault.Fault {
	sentences := make([]string, len(faults))
	for i, one := range faults {
		sentences[i] = one.Location + ": " + one.Message
	}
	invalid := fault.New(fault.DescriptorInvalid, "%s needs mending. %s", file, strings.Join(sentences, "; "))
	invalid.Fields = faults
	return invalid
}

// AddRepository creates an entry of a repository from its descriptor as it is now. The caller must be one of its authors
// (Forbidden, with the line to add); Conflict when the descriptor is not what the caller saw, or when the repository is
// in the catalog already, with a link to its entry if the caller may see that.
func (s *Service) AddRepository(ctx context.Context, githubURL string, posted PostedCopy) (catalog.Resource, error) {
	d, err := s.PullDescriptor(ctx, githubURL, false)
	if err != nil {
		return catalog.Resource{}, err
	}
	if email := identity.Email(ctx); !slices.Contains(d.Authors, email) {
		place, line := d.lineForAuthor(email)
		refused := fault.New(fault.NotAuthor, "You (%s) are not among the authors in %s. Add this line to it, %s, then pull it again: %s",
			email, d.File, place, strings.TrimSpace(line))
		refused.Fields = []fault.Field{{Location: place, Message: line}}
		return catalog.Resource{}, refused
	}
	if err := posted.compare(d); err != nil {
		return catalog.Resource{}, err
	}
	r := catalog.Resource{Type: catalog.Repository, RepositoryURL: d.RepositoryURL}
	d.into(&r)
	if posted.HeaderImage != nil {
		r.HeaderImage = *posted.HeaderImage
	}
	r.Normalize()
	if err := refuse(r.Check()); err != nil {
		return catalog.Resource{}, err
	}
	added, existing, err := s.entries.CreateRepository(ctx, r)
	if err == nil && len(existing) > 0 {
		err = s.duplicate(ctx, existing)
	}
	return added, err
}

func (s *Service) duplicate(ctx context.Context, ids []string) error {
	visible, err := s.entries.Visible(ctx, ids)
	if err != nil {
		return err
	}
	if len(visible) == 0 {
		return fault.New(fault.EntryExists, "This repository is in the catalog already, as a private entry of other authors. Ask them to name you in it.")
	}
	there := fault.New(fault.EntryExists, "This repository is in the catalog already: %s.", fault.Quote(visible[0].Name))
	there.Link = "/resources/" + catalog.Repository.Plural() + "/" + visible[0].ID
	return there
}

// SyncRepository brings the entry of a repository up to its descriptor, for its authors. Conflict when the descriptor is
// not what the caller saw, or when the entry changed meanwhile.
func (s *Service) SyncRepository(ctx context.Context, id string, posted PostedCopy) (catalog.Resource, error) {
	before, err := s.entries.Get(ctx, id)
	if err != nil {
		return catalog.Resource{}, err
	}
	if !before.DeletableBy(identity.Email(ctx)) {
		return catalog.Resource{}, fault.New(fault.NotAuthor, "Only the authors of %s can sync it: %s.", fault.Quote(before.Name), before.AuthorsText())
	}
	if before.Type != catalog.Repository {
		return catalog.Resource{}, fault.New(fault.Conflict, "%s is no repository, so there is no descriptor to sync it with.", fault.Quote(before.Name))
	}
	d, err := s.PullDescriptor(ctx, before.RepositoryURL, true)
	if err != nil {
		return catalog.Resource{}, err
	}
	if err := posted.compare(d); err != nil {
		return catalog.Resource{}, err
	}
	after := before
	d.into(&after)
	if image := posted.HeaderImage; image != nil && *image != imagePlaceholder {
		after.HeaderImage = *image
	}
	after.Normalize()
	if err := refuse(after.Check()); err != nil {
		return catalog.Resource{}, err
	}
	return s.entries.Update(ctx, after, before.UpdatedAt)
}

// compare is Conflict unless the descriptor says what the caller saw. Case and blanks do not count, nor does the order
// of tags.
func (c PostedCopy) compare(d Descriptor) error {
	same := func(posted *string, now string) bool { return posted == nil || folded(*posted) == folded(now) }
	if same(c.Name, d.Name) && same(c.Description, d.Description) && same(c.Privacy, string(d.Privacy)) &&
		(c.Authors == nil || slices.Equal(foldedAll(*c.Authors), foldedAll(d.Authors))) &&
		(c.Tags == nil || slices.Equal(sorted(foldedAll(*c.Tags)), sorted(foldedAll(d.Tags)))) {
		return nil
	}
	return fault.New(fault.DescriptorChanged, "The descriptor changed. Pull it again.")
}

func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// foldedAll leaves out what is empty or stands there twice, as entries do.
func foldedAll(texts []string) []string {
	var result []string
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if text = folded(identity.NormalizeEmail(text)); text != "" && !seen[text] {
			seen[text] = true
			result = append(result, text)
		}
	}
	return result
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}
