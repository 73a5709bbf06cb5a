package codehost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// PublicGitLab is where GitLab's own repositories are.
const PublicGitLab = "https://gitlab.com"

// GitLabAPI is the path of the API.
const GitLabAPI = "/api/v4"

// The limits of GitLab: https://docs.gitlab.com/user/gitlab_com/#rate-limits-on-gitlabcom.
const (
	gitlabLimit      = 3_600 // questions in an hour; a guess, because most servers set their own and say so only when it's used up
	gitlabPage       = 100   // entries in a part of a folder
	gitlabFolderMost = 20    // parts of a folder that are asked for
)

// GitLab is a Host: gitlab.com, or a server of one's own. It is asked through version 4 of its API.
type GitLab struct {
	reader

	pages string
	api   *source
	files *source // of the same API
}

// NewGitLab returns a Host.
func NewGitLab(options Options) *GitLab {
	options.at(PublicGitLab, "GitLab", GitLabAPI)
	gitlab := &GitLab{pages: options.URL}
	gitlab.api, gitlab.files = options.services(gitlabLimit)
	gitlab.reader = reader{gitlab}
	return gitlab
}

// Services are the host names of the services that a Counter is told about.
func (g *GitLab) Services() []string { return []string{g.api.host()} }

// about implements service. A renamed repository is found by a redirect to its id.
func (g *GitLab) about(ctx context.Context, repository Repository, maxAge time.Duration) (project, error) {
	absent := g.api.absent(repository)
	answered, err := g.api.get(ctx, "/projects/"+url.PathEscape(repository.String()), aboutBytes, maxAge)
	if err != nil {
		return project{}, orAbsent(err, absent)
	}
	var found struct {
		ID          int64    `json:"id"`
		Path        string   `json:"path_with_namespace"`
		Visibility  string   `json:"visibility"`
		Code        string   `json:"repository_access_level"` // "" or enabled: visible as the project is
		Branch      string   `json:"default_branch"`
		Description string   `json:"description"`
		Topics      []string `json:"topics"`
	}
	if err := g.api.decode(answered.body, &found); err != nil {
		return project{}, err
	}
	cut := strings.LastIndex(found.Path, "/")
	if found.ID == 0 || cut < 1 || cut == len(found.Path)-1 {
		return project{}, g.api.nonsense(errors.New("no id or no path"))
	}
	// Versions before 17 don't tell strangers, who see what is public alone.
	isPrivate := found.Visibility != "public" && (found.Visibility != "" || g.api.isToken) || found.Code != "" && found.Code != "enabled" && found.Code != "public"
	if isPrivate && g.api.account == "" {
		return project{}, absent
	}
	return project{Age: answered.Age, path: "/projects/" + strconv.FormatInt(found.ID, 10), About: About{
		ID: repository.Host + "/" + strconv.FormatInt(found.ID, 10), Repository: Repository{Host: repository.Host, Owner: found.Path[:cut], Name: found.Path[cut+1:]},
		Branch: found.Branch, Description: found.Description, Topics: found.Topics, Private: isPrivate,
	}}, nil
}

// tip implements service.
func (g *GitLab) tip(ctx context.Context, of project, branch string, maxAge time.Duration) (commit string, isBranch bool, err error) {
	found, err := g.api.named(ctx, of.path+"/repository/branches/"+url.PathEscape(branch), maxAge)
	return cmp.Or(found.Commit.ID, found.Commit.SHA), found.Name == branch, err
}

// hasTag implements service.
func (g *GitLab) hasTag(ctx context.Context, of project, name string) (bool, error) {
	found, err := g.api.named(ctx, of.path+"/repository/tags/"+url.PathEscape(name), fresh)
	return found.Name == name, err
}

// refs implements service.
func (g *GitLab) refs(ctx context.Context, of project) ([]string, error) {
	return g.api.names(ctx, of.path+"/repository/branches?per_page=100", of.path+"/repository/tags?per_page=100")
}

// name implements service.
func (g *GitLab) name(Repository) string { return g.api.name }

// editPage implements service.
func (g *GitLab) editPage(of Repository, branch, file string, isNew bool) string {
	pages := g.pages + escaped(strings.Split(of.String(), "/")...)
	if isNew {
		return pages + "/-/new" + escaped(strings.Split(branch, "/")...) + "?file_name=" + url.QueryEscape(file)
	}
	return pages + "/-/edit" + escaped(strings.Split(branch+"/"+file, "/")...)
}

// keepsLFS implements service.
func (g *GitLab) keepsLFS() bool { return true }

// filesURL implements service.
func (g *GitLab) filesURL(of Repository, branch string) string {
	return g.pages + escaped(strings.Split(of.String()+"/-/blob/"+branch, "/")...) + "/"
}

// languages implements service. GitLab says which part of the code each language has, in percent.
func (g *GitLab) languages(ctx context.Context, of project) ([]Language, error) {
	return g.api.languages(ctx, of.path+"/languages", 100)
}

// tree implements service.
func (g *GitLab) tree(of project, branch string, maxAge time.Duration) tree {
	return gitlabTree{g, of, branch, maxAge}
}

// gitlabTree is a branch at GitLab.
type gitlabTree struct {
	*GitLab

	of     project
	branch string
	maxAge time.Duration
}

// folder implements tree. GitLab sends folders in parts, and no sizes.
func (t gitlabTree) folder(ctx context.Context, path string) (listing Listing, target string, err error) {
	address := t.of.path + "/repository/tree?path=" + url.QueryEscape(path) + "&ref=" + url.QueryEscape(t.branch) + fmt.Sprintf("&per_page=%d&page=", gitlabPage)
	listing = Listing{Entries: []Entry{}}
	for number := 1; ; number++ {
		answered, err := t.api.get(ctx, address+strconv.Itoa(number), listBytes, t.maxAge)
		if err != nil {
			return Listing{}, "", orTooMany(err, path)
		}
		var part []treeEntry
		if err := t.api.decode(answered.body, &part); err != nil {
			return Listing{}, "", err
		}
		if part == nil {
			return Listing{}, "", t.api.nonsense(errors.New("no entries"))
		}
		for _, one := range part {
			listing.add(path, one.kind(), one.Name, SizeUnknown, one.ID)
		}
		if number == 1 {
			listing.Age = answered.Age
		}
		listing.Age = older(listing.Age, answered.Age)
		if len(part) < gitlabPage {
			break
		}
		if number == gitlabFolderMost {
			listing.Truncated = true
			break
		}
	}
	if len(listing.Entries) > 0 || path == "" {
		return listing, "", nil
	}
	return t.empty(ctx, path, listing)
}

// empty finds out what is at a path of which GitLab lists nothing: git has no empty folders.
func (t gitlabTree) empty(ctx context.Context, path string, listing Listing) (_ Listing, target string, err error) {
	content, err := t.content(ctx, path, linkBytes)
	if err != nil {
		return Listing{}, "", err
	}
	if target, ok := targetOf(path, content.body); ok {
		// One that leads to nothing ends where openFolder has followed enough of them.
		return listing, target, nil
	}
	return Listing{}, "", notAFolder(path, t.branch, t.of)
}

// content implements tree.
func (t gitlabTree) content(ctx context.Context, path string, maxBytes int64) (answer, error) {
	return t.files.file(ctx, t.filePath(path), maxBytes, t.maxAge)
}

func (t gitlabTree) filePath(path string) string {
	return t.of.path + "/repository/files/" + url.PathEscape(path) + "/raw?ref=" + url.QueryEscape(t.branch)
}

// stored implements service.
func (g *GitLab) stored(ctx context.Context, of project, branch, path string, maxBytes int64) (answer, error) {
	return g.files.get(ctx, gitlabTree{g, of, branch, fresh}.filePath(path)+"&lfs=true", maxBytes, fresh)
}
