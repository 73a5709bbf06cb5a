package codehost

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// PublicForgejo is Codeberg, the largest public server of Forgejo.
const PublicForgejo = "https://codeberg.org"

// GiteaAPI is the path of the API.
const GiteaAPI = "/api/v1"

// The limits of Gitea and Forgejo.
const (
	giteaLimit = 3_600 // questions in an hour; a guess: the programs have none, and proxies before them don't say theirs
	giteaPage  = 50    // branches or tags in a part, the most that servers send
)

// Gitea is a Host: a server of Gitea or of Forgejo, such as Codeberg. It is asked through version 1 of the API, which both have.
type Gitea struct {
	reader

	pages string
	api   *source
	files *source // of the same API
}

// NewGitea returns a Host.
func NewGitea(options Options) *Gitea {
	options.at(PublicForgejo, "Codeberg", GiteaAPI)
	gitea := &Gitea{pages: options.URL}
	gitea.api, gitea.files = options.services(giteaLimit)
	gitea.reader = reader{gitea}
	return gitea
}

// Services are the host names of the services that a Counter is told about.
func (g *Gitea) Services() []string { return []string{g.api.host()} }

// about implements service. A renamed repository is found by a redirect.
func (g *Gitea) about(ctx context.Context, repository Repository, maxAge time.Duration) (project, error) {
	absent := g.api.absent(repository)
	if strings.Contains(repository.Owner, "/") {
		return project{}, absent
	}
	answered, err := g.api.get(ctx, "/repos"+escaped(repository.Owner, repository.Name), aboutBytes, maxAge)
	if err != nil {
		return project{}, orAbsent(err, absent)
	}
	var found struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
		Private  bool   `json:"private"`
		Internal bool   `json:"internal"` // only people who have signed in there see it
		Owner    struct {
			Visibility string `json:"visibility"` // "", public, limited or private
		} `json:"owner"`
		Branch      string   `json:"default_branch"`
		Empty       bool     `json:"empty"`
		Description string   `json:"description"`
		Topics      []string `json:"topics"`
		Licenses    []string `json:"licenses"`
		Language    string   `json:"language"`
		Kibibytes   int64    `json:"size"`
	}
	if err := g.api.decode(answered.body, &found); err != nil {
		return project{}, err
	}
	owner, name, _ := strings.Cut(found.FullName, "/")
	if found.ID == 0 || owner == "" || name == "" {
		return project{}, g.api.nonsense(errors.New("no id or no name"))
	}
	isPrivate := found.Private || found.Internal || found.Owner.Visibility != "" && found.Owner.Visibility != "public"
	if isPrivate && g.api.account == "" {
		return project{}, absent
	}
	known := project{Age: answered.Age, path: "/repos" + escaped(owner, name), About: About{
		ID: repository.Host + "/" + strconv.FormatInt(found.ID, 10), Repository: Repository{Host: repository.Host, Owner: owner, Name: name},
		Branch: found.Branch, Description: found.Description, Topics: found.Topics, Private: isPrivate,
		Measures: Measures{Language: found.Language, SizeBytes: kibibytes(found.Kibibytes)},
	}}
	if len(found.Licenses) == 1 {
		known.License = found.Licenses[0]
	}
	if found.Empty {
		known.Branch = ""
	}
	return known, nil
}

// tip implements service. The old name of a renamed branch leads to the new one.
func (g *Gitea) tip(ctx context.Context, of project, branch string, maxAge time.Duration) (commit string, isBranch bool, err error) {
	found, err := g.api.named(ctx, of.path+"/branches"+escaped(strings.Split(branch, "/")...), maxAge)
	return cmp.Or(found.Commit.ID, found.Commit.SHA), found.Name == branch, err
}

// hasTag implements service.
func (g *Gitea) hasTag(ctx context.Context, of project, name string) (bool, error) {
	found, err := g.api.named(ctx, of.path+"/tags"+escaped(strings.Split(name, "/")...), fresh)
	return found.Name == name, err
}

// refs implements service.
func (g *Gitea) refs(ctx context.Context, of project) (names []string, err error) {
	for _, list := range []string{"/branches", "/tags"} {
		for page := 1; page <= 2; page++ {
			part, err := g.api.names(ctx, of.path+list+"?limit="+strconv.Itoa(giteaPage)+"&page="+strconv.Itoa(page))
			if err != nil {
				return nil, err
			}
			names = append(names, part...)
			if len(part) < giteaPage {
				break
			}
		}
	}
	return names, nil
}

// name implements service.
func (g *Gitea) name(Repository) string { return g.api.name }

// editPage implements service.
func (g *Gitea) editPage(of Repository, branch, file string, isNew bool) string {
	pages := g.pages + escaped(of.Owner, of.Name)
	if isNew {
		return pages + "/_new" + escaped(strings.Split(branch, "/")...) + "/"
	}
	return pages + "/_edit" + escaped(strings.Split(branch+"/"+file, "/")...)
}

// keepsLFS implements service.
func (g *Gitea) keepsLFS() bool { return true }

// filesURL implements service.
func (g *Gitea) filesURL(of Repository, branch string) string {
	return g.pages + escaped(strings.Split(of.String()+"/src/branch/"+branch, "/")...) + "/"
}

// languages implements service.
func (g *Gitea) languages(ctx context.Context, of project) ([]Language, error) {
	return g.api.languages(ctx, of.path+"/languages", 1)
}

// tree implements service.
func (g *Gitea) tree(of project, branch string, maxAge time.Duration) tree {
	return giteaTree{g, of, branch, maxAge}
}

// giteaTree is a branch at a server of Gitea.
type giteaTree struct {
	*Gitea

	of     project
	branch string
	maxAge time.Duration
}

// folder implements tree.
func (t giteaTree) folder(ctx context.Context, path string) (listing Listing, target string, err error) {
	entries, target, age, err := t.api.contents(ctx, t.of, t.branch, path, t.maxAge)
	listing = Listing{Age: age, Entries: []Entry{}}
	for _, one := range entries {
		listing.add(path, one.Type, one.Name, one.Size, one.SHA)
	}
	return listing, target, err
}

// content implements tree.
func (t giteaTree) content(ctx context.Context, path string, maxBytes int64) (answer, error) {
	return t.files.file(ctx, t.of.path+"/raw"+t.place(path), maxBytes, t.maxAge)
}

func (t giteaTree) place(path string) string {
	return escaped(strings.Split(path, "/")...) + "?ref=" + url.QueryEscape(t.branch)
}

// stored implements service.
func (g *Gitea) stored(ctx context.Context, of project, branch, path string, maxBytes int64) (answer, error) {
	return g.files.get(ctx, of.path+"/media"+giteaTree{g, of, branch, fresh}.place(path), maxBytes, fresh)
}
