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
	reader

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
	aboutBytes = 1_000_000 // of an answer about a repository or its branches
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
	github.reader = reader{github}
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

// githubAbout is what the API says about a repository.
type githubAbout struct {
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

// about implements service. Redirects lead to the current name of a renamed repository.
func (g *GitHub) about(ctx context.Context, repository Repository, maxAge time.Duration) (project, error) {
	absent := g.api.absent(repository)
	if strings.Contains(repository.Owner, "/") {
		return project{}, absent
	}
	answered, err := g.api.get(ctx, "/repos"+escaped(repository.Owner, repository.Name), aboutBytes, maxAge)
	if err != nil {
		return project{}, orAbsent(err, absent)
	}
	var found githubAbout
	if err := g.api.decode(answered.body, &found); err != nil {
		return project{}, err
	}
	owner, name, _ := strings.Cut(found.FullName, "/")
	if owner == "" || name == "" || found.DefaultBranch == "" {
		return project{}, g.api.nonsense(errors.New("no name or no default branch"))
	}
	if found.Private || (found.Visibility != "" && found.Visibility != "public") {
		return project{}, absent
	}
	known := project{Age: answered.Age, path: url.PathEscape(owner) + "/" + url.PathEscape(name), About: About{
		Repository: Repository{Host: repository.Host, Owner: owner, Name: name}, Branch: found.DefaultBranch,
		Description: found.Description, Topics: found.Topics,
		Measures: Measures{Language: found.Language, SizeBytes: kibibytes(found.Kilobytes), PushedAt: found.PushedAt},
	}}
	if found.ID != 0 {
		known.ID = repository.Host + "/" + strconv.FormatInt(found.ID, 10)
	}
	if found.License.SPDX != "NOASSERTION" {
		known.License = found.License.SPDX
	}
	return known, nil
}

// kibibytes returns so many in bytes, which fit.
func kibibytes(count int64) int64 { return min(max(count, 0), math.MaxInt64>>10) << 10 }

// hasBranch implements service. The old name of a renamed branch leads to the new one.
func (g *GitHub) hasBranch(ctx context.Context, of project, name string, maxAge time.Duration) (bool, error) {
	found, err := g.api.named(ctx, "/repos/"+of.path+"/branches"+escaped(name), maxAge)
	return found.Name == name, err
}

// hasTag implements service.
func (g *GitHub) hasTag(ctx context.Context, of project, name string) (bool, error) {
	found, err := g.api.named(ctx, "/repos/"+of.path+"/git/ref/tags"+escaped(strings.Split(name, "/")...), fresh)
	return found.Ref == "refs/tags/"+name, err
}

// refs implements service.
func (g *GitHub) refs(ctx context.Context, of project) ([]string, error) {
	return g.api.names(ctx, "/repos/"+of.path+"/branches?per_page=100", "/repos/"+of.path+"/tags?per_page=100")
}

// filesURL implements service.
func (g *GitHub) filesURL(of project, branch string) string {
	return g.pages + "/" + of.path + "/blob" + escaped(strings.Split(branch, "/")...) + "/"
}

// tree implements service.
func (g *GitHub) tree(of project, branch string, maxAge time.Duration) tree {
	return githubTree{g, of, branch, maxAge}
}

// githubTree is a branch at GitHub.
type githubTree struct {
	*GitHub

	of     project
	branch string
	maxAge time.Duration
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

// folder implements tree through the contents API, or the trees API when that answer is incomplete.
func (t githubTree) folder(ctx context.Context, path string) (listing Listing, target string, err error) {
	address := "/repos/" + t.of.path + "/contents"
	if path != "" {
		address += escaped(strings.Split(path, "/")...)
	}
	answered, err := t.api.get(ctx, address+"?ref="+url.QueryEscape(t.branch), listBytes, t.maxAge)
	if err != nil {
		return Listing{}, "", orTooMany(err, path)
	}
	if begin := strings.TrimSpace(string(answered.body[:min(len(answered.body), 10)])); strings.HasPrefix(begin, "{") {
		var one contentsEntry
		if err := t.api.decode(answered.body, &one); err != nil {
			return Listing{}, "", err
		}
		if target, ok := targetOf(path, []byte(one.Target)); ok && one.Type == typeLink {
			return Listing{}, target, nil
		}
		return Listing{}, "", notAFolder(path, t.branch, t.of)
	}
	var found []contentsEntry
	if err := t.api.decode(answered.body, &found); err != nil {
		return Listing{}, "", err
	}
	if len(found) >= pageLength {
		listing, err = t.whole(ctx, path)
		return listing, "", err
	}
	listing = Listing{Age: answered.Age, Entries: []Entry{}}
	for _, one := range found {
		listing.add(path, one.kind(), one.Name, one.Size, one.SHA)
	}
	return listing, "", nil
}

// whole lists a whole folder through the trees API.
func (t githubTree) whole(ctx context.Context, path string) (Listing, error) {
	sha := t.branch
	if path != "" {
		cut := strings.LastIndex(path, "/")
		parent, err := openFolder(ctx, t, path[:max(cut, 0)])
		if err != nil {
			return Listing{}, err
		}
		at := slices.IndexFunc(parent.Entries, func(one Entry) bool { return one.Path == path })
		if at < 0 {
			return Listing{}, t.api.nonsense(errors.New("a folder is not in its parent"))
		}
		sha = parent.Entries[at].SHA
	}
	answered, err := t.api.get(ctx, "/repos/"+t.of.path+"/git/trees"+escaped(sha), listBytes, t.maxAge)
	if err != nil {
		return Listing{}, orTooMany(err, path)
	}
	var found gitTree
	if err := t.api.decode(answered.body, &found); err != nil {
		return Listing{}, err
	}
	return found.listing(path, answered.Age), nil
}

// content implements tree. It fetches the raw file, which doesn't count against the API's limit.
func (t githubTree) content(ctx context.Context, path string, maxBytes int64) (answer, error) {
	return t.raw.file(ctx, rawPath(t.of.path, t.branch, path), maxBytes, t.maxAge)
}

// stored implements service.
func (g *GitHub) stored(ctx context.Context, of project, branch, path string, maxBytes int64) (answer, error) {
	if g.media == nil {
		return answer{}, errNothing
	}
	return g.media.get(ctx, rawPath(of.path, branch, path), maxBytes, fresh)
}

// languages implements service.
func (g *GitHub) languages(ctx context.Context, of project) ([]Language, error) {
	return g.api.languages(ctx, "/repos/"+of.path+"/languages", fresh)
}

func rawPath(repository, branch, path string) string {
	return "/" + repository + escaped(append(strings.Split(branch, "/"), strings.Split(path, "/")...)...)
}
