package codehost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
	"cairn/internal/foundation/safehttp"
)

// GitHubOptions configure a GitHub host.
type GitHubOptions struct {
	URL     string // of its pages; "" is https://github.com
	APIURL  string // "" derives it from URL
	RawURL  string // of raw files; likewise
	Token   string // for a higher limit; it makes nothing private visible
	Client  *safehttp.Client
	Cache   *Cache
	Timeout time.Duration // per question; 0: 8 s
	Now     func() time.Time
	Logger  *slog.Logger
	Counter Counter // optional; nil disables metrics
}

// Counter counts the requests to code hosts, by the host names of their services.
type Counter interface {
	// Asked is called for each question with its outcome: ok, unchanged, missing, limited, refused or unreachable.
	Asked(host, outcome string)
	// Remaining is called with how many questions the host said it still answers.
	Remaining(host string, questions int)
}

// GitHub is a Host: github.com, or an Enterprise server.
type GitHub struct {
	pages string
	name  string
	token bool
	api   *source
	raw   *source
	media *source // of files in Git LFS; nil: there is none
}

// The addresses of github.com and of the raw files of its public repositories.
const (
	PublicGitHub = "https://github.com"
	PublicRaw    = "https://raw.githubusercontent.com"
)

const (
	listBytes  = 8_000_000 // of a folder: about 20,000 entries
	pageLength = 1_000     // entries that the contents API returns at most
)

// NewGitHub returns a Host.
func NewGitHub(options GitHubOptions) *GitHub {
	options.URL = strings.TrimSuffix(cmp.Or(options.URL, PublicGitHub), "/")
	if options.URL == PublicGitHub {
		options.APIURL = cmp.Or(options.APIURL, "https://api.github.com")
		options.RawURL = cmp.Or(options.RawURL, PublicRaw)
	}
	options.APIURL = strings.TrimSuffix(cmp.Or(options.APIURL, options.URL+"/api/v3"), "/")
	options.RawURL = strings.TrimSuffix(cmp.Or(options.RawURL, options.URL+"/raw"), "/")
	name := "GitHub"
	if parsed, err := url.Parse(options.URL); err == nil && options.URL != PublicGitHub {
		name = hostOf(parsed)
	}
	limit := anonymousLimit
	header := http.Header{"Accept": {"application/vnd.github+json"}, "X-GitHub-Api-Version": {"2022-11-28"}}
	raw := http.Header{}
	if options.Token != "" {
		limit = tokenLimit
		header.Set("Authorization", "Bearer "+options.Token)
		raw.Set("Authorization", "Bearer "+options.Token)
	}
	from := func(base string, header http.Header, perHour int) *source {
		return &source{
			base: base, name: name, header: header, budget: newBudget(perHour), client: options.Client, cache: options.Cache,
			timeout: cmp.Or(options.Timeout, askTime), now: options.Now, logger: options.Logger, isToken: options.Token != "",
			counter: options.Counter,
		}
	}
	github := &GitHub{
		pages: options.URL, name: name, token: options.Token != "",
		api: from(options.APIURL, header, limit), raw: from(options.RawURL, raw, rawLimit),
	}
	github.raw.budget.guessed = true
	if media := MediaURL(options.RawURL); media != "" {
		github.media = from(media, http.Header{}, rawLimit)
		github.media.budget.guessed = true
	}
	return github
}

// Services are the host names of the services that a Counter is told about.
func (g *GitHub) Services() []string {
	names := []string{g.api.host(), g.raw.host()}
	if g.media != nil {
		names = append(names, g.media.host())
	}
	return names
}

// about is what the host says about a repository.
type about struct {
	Age

	ID            int64    `json:"id"`
	FullName      string   `json:"full_name"`
	Private       bool     `json:"private"`
	Visibility    string   `json:"visibility"`
	DefaultBranch string   `json:"default_branch"`
	Description   string   `json:"description"`
	Topics        []string `json:"topics"`
	License       struct {
		SPDX string `json:"spdx_id"`
	} `json:"license"`
	Language  string    `json:"language"`
	Kilobytes int64     `json:"size"` // of 1,024 bytes
	PushedAt  time.Time `json:"pushed_at"`
}

func (a about) measures() Measures {
	return Measures{Language: a.Language, SizeBytes: min(max(a.Kilobytes, 0), math.MaxInt64>>10) << 10, PushedAt: a.PushedAt}
}

// About implements Host.
func (g *GitHub) About(ctx context.Context, repository Repository) (About, error) {
	known, err := g.about(ctx, repository, fresh)
	if err != nil {
		return About{}, err
	}
	owner, name, _ := strings.Cut(known.FullName, "/")
	found := About{
		Repository: Repository{Host: repository.Host, Owner: owner, Name: name},
		Branch:     known.DefaultBranch, Description: known.Description, Topics: known.Topics, Measures: known.measures(),
	}
	if known.ID != 0 {
		found.ID = repository.Host + "/" + strconv.FormatInt(known.ID, 10)
	}
	if known.License.SPDX != "NOASSERTION" {
		found.License = known.License.SPDX
	}
	return found, nil
}

// about asks the host about a repository. Redirects lead to the current name of a renamed repository. It returns
// NotFound for a private one, whatever the token may read.
func (g *GitHub) about(ctx context.Context, repository Repository, maxAge time.Duration) (about, error) {
	found := about{}
	absent := fault.New(fault.NotFound, "%s has no public repository %s.", g.name, repository)
	if strings.Contains(repository.Owner, "/") {
		return found, absent
	}
	answered, err := g.api.get(ctx, "/repos"+escaped(repository.Owner, repository.Name), 1_000_000, maxAge)
	if err != nil {
		return found, orAbsent(err, absent)
	}
	if err := g.decode(answered.body, &found); err != nil {
		return found, err
	}
	owner, name, _ := strings.Cut(found.FullName, "/")
	if owner == "" || name == "" || found.DefaultBranch == "" {
		return found, g.nonsense(errors.New("no name or no default branch"))
	}
	if found.Private || (found.Visibility != "" && found.Visibility != "public") {
		return found, absent
	}
	found.Age = answered.Age
	return found, nil
}

// orAbsent replaces a NotFound error by absent, which names what is missing; legal reasons stay.
func orAbsent(err error, absent *fault.Fault) error {
	if fault.KindOf(err) == fault.NotFound && !errors.Is(err, errLegal) {
		return absent
	}
	return err
}

func (g *GitHub) decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return g.nonsense(err)
	}
	return nil
}

func (g *GitHub) nonsense(cause error) error {
	return fault.Wrap(cause, fault.BadUpstream, "%s sent an answer that can't be read.", g.name)
}

// branch returns the first of main and master that exists, or the default branch.
func (g *GitHub) branch(ctx context.Context, known about) (string, error) {
	for _, name := range usualBranches {
		if known.DefaultBranch == name {
			return name, nil
		}
		answered, err := g.api.get(ctx, "/repos/"+known.path()+"/branches"+escaped(name), 1_000_000, fresh)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return "", err
		}
		var found struct {
			Name string `json:"name"`
		}
		if err := g.decode(answered.body, &found); err != nil {
			return "", err
		}
		if found.Name == name { // the old name of a renamed branch leads to the new one
			return name, nil
		}
	}
	return known.DefaultBranch, nil
}

// usualBranches are tried before the default branch, in this order.
var usualBranches = []string{"main", "master"}

func (a about) path() string {
	owner, name, _ := strings.Cut(a.FullName, "/")
	return url.PathEscape(owner) + "/" + url.PathEscape(name)
}

// List implements Host.
func (g *GitHub) List(ctx context.Context, repository Repository, path string) (Listing, error) {
	path, err := cleanPath(path)
	if err != nil {
		return Listing{}, err
	}
	known, err := g.about(ctx, repository, fresh)
	if err != nil {
		return Listing{}, err
	}
	branch, err := g.branch(ctx, known)
	if err != nil {
		return Listing{}, err
	}
	listing, err := g.folder(ctx, known, branch, path)
	if err != nil {
		return Listing{}, err
	}
	follow := &links{github: g, known: known, branch: branch, folders: map[string][]Entry{listing.Path: listing.Entries}}
	follow.followAll(ctx, listing.Entries)
	listing.sort()
	listing.Branch = branch
	listing.FilesURL, listing.Measures = g.filesURL(known, branch), known.measures()
	listing.Age = older(listing.Age, known.Age)
	return listing, nil
}

// HasRef implements Host.
func (g *GitHub) HasRef(ctx context.Context, repository Repository, ref string) (there bool, names []string, err error) {
	known, err := g.about(ctx, repository, fresh)
	if err != nil {
		return false, nil, err
	}
	path := "/repos/" + known.path()
	type named struct {
		Name string `json:"name"` // of a branch
		Ref  string `json:"ref"`  // of a tag
	}
	for _, one := range []string{"/branches" + escaped(ref), "/git/ref/tags" + escaped(strings.Split(ref, "/")...)} {
		answered, err := g.api.get(ctx, path+one, 1_000_000, fresh)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return false, nil, err
		}
		var found named
		if err := g.decode(answered.body, &found); err != nil {
			return false, nil, err
		}
		if found.Name == ref || found.Ref == "refs/tags/"+ref { // the old name of a renamed branch leads to the new one
			return true, nil, nil
		}
	}
	for _, list := range []string{"/branches", "/tags"} {
		answered, err := g.api.get(ctx, path+list+"?per_page=100", 1_000_000, fresh)
		if err != nil {
			return false, nil, err
		}
		var found []named
		if err := g.decode(answered.body, &found); err != nil {
			return false, nil, err
		}
		for _, one := range found {
			names = append(names, one.Name)
		}
	}
	return false, names, nil
}

func (g *GitHub) filesURL(known about, branch string) string {
	return g.pages + "/" + known.path() + "/blob" + escaped(strings.Split(branch, "/")...) + "/"
}

// older combines the ages of two answers that form one.
func older(one, other Age) Age {
	if other.AsOf.Before(one.AsOf) {
		one.AsOf = other.AsOf
	}
	one.Stale = one.Stale || other.Stale
	return one
}

// contentsEntry is an entry in the answer of the contents API.
type contentsEntry struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Size int64  `json:"size"`
	SHA  string `json:"sha"`

	GitURL json.RawMessage `json:"git_url"`
	Target string          `json:"target"` // of a symbolic link that is asked for itself
}

// kind is the type of an entry of a listing. There the API calls submodules files, and only their git_url tells that they
// are the tree of another repository: it is null for one on another host.
func (e contentsEntry) kind() string {
	switch {
	case e.Type == TypeFolder, e.Type == typeLink, e.Type == TypeSubmodule:
		return e.Type
	case string(e.GitURL) == "null", strings.Contains(string(e.GitURL), "/git/trees/"):
		return TypeSubmodule
	}
	return TypeFile
}

// folder lists a folder, or the one that a symbolic link leads to; its path is in the answer.
func (g *GitHub) folder(ctx context.Context, known about, branch, path string) (Listing, error) {
	for range linkHops {
		listing, target, err := g.listFolder(ctx, known, branch, path)
		if err != nil || target == "" {
			listing.Path = path
			return listing, err
		}
		path = target
	}
	return Listing{}, fault.New(fault.NotFound, "The symbolic link %q leads to others without an end.", "/"+path)
}

// listFolder lists a folder through the contents API, or the trees API when that answer is incomplete. Instead it returns
// the target of a symbolic link within the repository.
func (g *GitHub) listFolder(ctx context.Context, known about, branch, path string) (listing Listing, target string, err error) {
	address := "/repos/" + known.path() + "/contents"
	if path != "" {
		address += escaped(strings.Split(path, "/")...)
	}
	answered, err := g.api.get(ctx, address+"?ref="+url.QueryEscape(branch), listBytes, fresh)
	if fault.KindOf(err) == fault.TooLarge {
		return Listing{}, "", tooMany(path)
	}
	if err != nil {
		return Listing{}, "", orAbsent(err, fault.New(fault.NotFound, "There is no folder %q on the branch %s of %s.", "/"+path, branch, known.FullName))
	}
	if begin := strings.TrimSpace(string(answered.body[:min(len(answered.body), 10)])); strings.HasPrefix(begin, "{") {
		var one contentsEntry
		if err := g.decode(answered.body, &one); err != nil {
			return Listing{}, "", err
		}
		if target, ok := targetOf(path, []byte(one.Target)); ok && one.Type == typeLink {
			return Listing{}, target, nil
		}
		return Listing{}, "", fault.New(fault.NotFound, "%q is a file on the branch %s of %s, not a folder.", "/"+path, branch, known.FullName)
	}
	var found []contentsEntry
	if err := g.decode(answered.body, &found); err != nil {
		return Listing{}, "", err
	}
	if len(found) >= pageLength {
		listing, err = g.tree(ctx, known, branch, path)
		return listing, "", err
	}
	listing = Listing{Age: answered.Age, Entries: []Entry{}}
	for _, one := range found {
		listing.add(path, one.kind(), one.Name, one.Size, one.SHA)
	}
	listing.sort()
	return listing, "", nil
}

// tree lists a whole folder through the trees API.
func (g *GitHub) tree(ctx context.Context, known about, branch, path string) (Listing, error) {
	sha := branch
	if path != "" {
		cut := strings.LastIndex(path, "/")
		parent, err := g.folder(ctx, known, branch, path[:max(cut, 0)])
		if err != nil {
			return Listing{}, err
		}
		at := slices.IndexFunc(parent.Entries, func(one Entry) bool { return one.Path == path })
		if at < 0 {
			return Listing{}, g.nonsense(errors.New("a folder is not in its parent"))
		}
		sha = parent.Entries[at].SHA
	}
	answered, err := g.api.get(ctx, "/repos/"+known.path()+"/git/trees"+escaped(sha), listBytes, fresh)
	if fault.KindOf(err) == fault.TooLarge {
		return Listing{}, tooMany(path)
	}
	if err != nil {
		return Listing{}, err
	}
	var found struct {
		Tree []struct {
			Type string `json:"type"`
			Mode string `json:"mode"`
			Path string `json:"path"`
			Size int64  `json:"size"`
			SHA  string `json:"sha"`
		} `json:"tree"`
		Truncated bool `json:"truncated"`
	}
	if err := g.decode(answered.body, &found); err != nil {
		return Listing{}, err
	}
	listing := Listing{Age: answered.Age, Entries: []Entry{}, Truncated: found.Truncated}
	for _, one := range found.Tree {
		kind := map[string]string{"tree": TypeFolder, "commit": TypeSubmodule}[one.Type]
		if one.Mode == "120000" {
			kind = typeLink
		}
		listing.add(path, cmp.Or(kind, TypeFile), one.Path, one.Size, one.SHA)
	}
	listing.sort()
	return listing, nil
}

func tooMany(path string) error {
	return fault.New(fault.TooLarge, "The folder %q has more files than can be listed here.", "/"+path)
}

// File implements Host. It fetches the raw file, which doesn't count against the API's limit.
func (g *GitHub) File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error) {
	path, err := cleanPath(path)
	if err != nil {
		return File{}, err
	}
	known, err := g.about(ctx, repository, fresh)
	if err != nil {
		return File{}, err
	}
	branch, err := g.branch(ctx, known)
	if err != nil {
		return File{}, err
	}
	answered, err := g.raw.get(ctx, rawPath(known.path(), branch, path), maxBytes, fresh)
	if err != nil {
		return File{}, orAbsent(err, fault.New(fault.NotFound, "There is no file %q on the branch %s of %s.", path, branch, known.FullName))
	}
	follow := &links{github: g, known: known, branch: branch, folders: map[string][]Entry{}}
	at, err := follow.behind(ctx, path, answered.body)
	if err != nil {
		return File{}, err
	}
	if at != path {
		path = at
		if answered, err = g.raw.get(ctx, rawPath(known.path(), branch, path), maxBytes, fresh); err != nil {
			return File{}, err
		}
	}
	if pointer, ok := gitlfs.ParsePointer(answered.body); ok && g.media != nil {
		switch stored, err := g.stored(ctx, rawPath(known.path(), branch, path), pointer, maxBytes); {
		case err == nil:
			answered.body = stored
		case fault.KindOf(err) != fault.NotFound:
			return File{}, err
		}
	}
	return File{Age: older(answered.Age, known.Age), Branch: branch, Path: path, Content: answered.body, FilesURL: g.filesURL(known, branch)}, nil
}

func rawPath(repository, branch, path string) string {
	return "/" + repository + escaped(append(strings.Split(branch, "/"), strings.Split(path, "/")...)...)
}
