package codehost

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GitHub is a Host: github.com, or an Enterprise server.
type GitHub struct {
	reader

	pages string
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
func NewGitHub(options Options) *GitHub {
	options.URL = strings.TrimSuffix(cmp.Or(options.URL, PublicGitHub), "/")
	if options.URL == PublicGitHub {
		options.APIURL = cmp.Or(options.APIURL, "https://api.github.com")
		options.RawURL = cmp.Or(options.RawURL, PublicRaw)
	}
	options.APIURL = strings.TrimSuffix(cmp.Or(options.APIURL, options.URL+"/api/v3"), "/")
	options.RawURL = strings.TrimSuffix(cmp.Or(options.RawURL, options.URL+"/raw"), "/")
	options.Name = options.nameOr(PublicGitHub, "GitHub")
	api := http.Header{"Accept": {"application/vnd.github+json"}, "X-GitHub-Api-Version": {"2022-11-28"}}
	limit := anonymousLimit
	if options.Token != "" {
		limit = tokenLimit
	}
	github := &GitHub{
		pages: options.URL, token: options.Token != "",
		api: options.service(options.APIURL, api, limit), raw: options.service(options.RawURL, nil, rawLimit),
	}
	github.reader = reader{github}
	github.api.isJSON, github.raw.budget.guessed = true, true
	if options.Account != "" { // the raw files' host shows what is public; the API sends any file of at most 100 MB
		api.Set("Accept", "application/vnd.github.raw+json")
		github.raw = options.service(options.APIURL, api, limit)
		return github
	}
	if media := MediaURL(options.RawURL); media != "" {
		options.Token = "" // files in Git LFS are sent without
		github.media = options.service(media, nil, rawLimit)
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
	isPrivate := found.Private || (found.Visibility != "" && found.Visibility != "public")
	if isPrivate && g.api.account == "" {
		return project{}, absent
	}
	known := project{Age: answered.Age, path: "/repos" + escaped(owner, name), About: About{
		Repository: Repository{Host: repository.Host, Owner: owner, Name: name}, Branch: found.DefaultBranch,
		Description: found.Description, Topics: found.Topics, Private: isPrivate,
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

// tip implements service. The old name of a renamed branch leads to the new one.
func (g *GitHub) tip(ctx context.Context, of project, branch string, maxAge time.Duration) (commit string, isBranch bool, err error) {
	found, err := g.api.named(ctx, of.path+"/branches"+escaped(branch), maxAge)
	return cmp.Or(found.Commit.ID, found.Commit.SHA), found.Name == branch, err
}

// hasTag implements service.
func (g *GitHub) hasTag(ctx context.Context, of project, name string) (bool, error) {
	found, err := g.api.named(ctx, of.path+"/git/ref/tags"+escaped(strings.Split(name, "/")...), fresh)
	return found.Ref == "refs/tags/"+name, err
}

// refs implements service.
func (g *GitHub) refs(ctx context.Context, of project) ([]string, error) {
	return g.api.names(ctx, of.path+"/branches?per_page=100", of.path+"/tags?per_page=100")
}

// name implements service.
func (g *GitHub) name(Repository) string { return g.api.name }

// editPage implements service.
func (g *GitHub) editPage(of Repository, branch, file string, isNew bool) string {
	pages := g.pages + escaped(of.Owner, of.Name)
	if isNew {
		return pages + "/new" + escaped(strings.Split(branch, "/")...) + "?filename=" + url.QueryEscape(file)
	}
	return pages + "/edit" + escaped(strings.Split(branch+"/"+file, "/")...)
}

// keepsLFS implements service.
func (g *GitHub) keepsLFS() bool { return g.media != nil }

// filesURL implements service.
func (g *GitHub) filesURL(of Repository, branch string) string {
	return g.pages + escaped(of.Owner, of.Name) + "/blob" + escaped(strings.Split(branch, "/")...) + "/"
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

// folder implements tree through the contents API, or the trees API when that answer is incomplete.
func (t githubTree) folder(ctx context.Context, path string) (listing Listing, target string, err error) {
	found, target, age, err := t.api.contents(ctx, t.of, t.branch, path, t.maxAge)
	if len(found) >= pageLength {
		listing, err = t.whole(ctx, path)
		return listing, "", err
	}
	listing = Listing{Age: age, Entries: []Entry{}}
	for _, one := range found {
		listing.add(path, one.kind(), one.Name, one.Size, one.SHA)
	}
	return listing, target, err
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
	answered, err := t.api.get(ctx, t.of.path+"/git/trees"+escaped(sha), listBytes, t.maxAge)
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
	if t.api.account != "" {
		return t.raw.file(ctx, t.of.path+"/contents"+escaped(strings.Split(path, "/")...)+"?ref="+url.QueryEscape(t.branch), maxBytes, t.maxAge)
	}
	return t.raw.file(ctx, rawPath(t.of.Repository, t.branch, path), maxBytes, t.maxAge)
}

// stored implements service.
func (g *GitHub) stored(ctx context.Context, of project, branch, path string, maxBytes int64) (answer, error) {
	if g.media == nil {
		return answer{}, nothing(g.api.name)
	}
	return g.media.get(ctx, rawPath(of.Repository, branch, path), maxBytes, fresh)
}

// languages implements service.
func (g *GitHub) languages(ctx context.Context, of project) ([]Language, error) {
	return g.api.languages(ctx, of.path+"/languages", 1)
}

func rawPath(repository Repository, branch, path string) string {
	return escaped(slices.Concat([]string{repository.Owner, repository.Name}, strings.Split(branch, "/"), strings.Split(path, "/"))...)
}
