package codehost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

// errNothing is in the fault of an answer that there is nothing.
var errNothing = errors.New("there is nothing")

func nothing(host string) error {
	return fault.Wrap(errNothing, fault.NotFound, "%s has nothing there.", host)
}

// orAbsent replaces the fault of an answer that there is nothing by absent, which names what is missing.
func orAbsent(err error, absent *fault.Fault) error {
	if errors.Is(err, errNothing) {
		return absent
	}
	return err
}

// orTooMany says of an answer about a folder that is too large what that means.
func orTooMany(err error, path string) error {
	if fault.KindOf(err) == fault.TooLarge {
		return fault.New(fault.TooLarge, "The folder %q has more files than can be listed here.", "/"+path)
	}
	return err
}

func notAFolder(path, branch string, of project) error {
	return fault.New(fault.NotFound, "%q is a file on the branch %s of %s, not a folder.", "/"+path, branch, of.Repository)
}

// absent is the fault for a repository that doesn't exist, or that isn't shown.
func (s *source) absent(repository Repository) *fault.Fault {
	if s.account != "" {
		return fault.New(fault.NotFound, "%s has no repository %s that you can read there.", s.name, repository)
	}
	return fault.New(fault.NotFound, "%s has no public repository %s.", s.name, repository)
}

func (s *source) decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return s.nonsense(err)
	}
	return nil
}

func (s *source) nonsense(cause error) error {
	return fault.Wrap(cause, fault.BadUpstream, "%s sent an answer that can't be read.", s.name)
}

// named is a branch or a tag in an answer.
type named struct {
	Name string `json:"name"`
	Ref  string `json:"ref"` // of GitHub's tags, when asked for one

	Commit struct {
		ID  string `json:"id"`
		SHA string `json:"sha"` // as GitHub calls it
	} `json:"commit"` // of a branch
}

// named returns the branch or tag at a path; the zero value if there is none.
func (s *source) named(ctx context.Context, path string, maxAge time.Duration) (found named, err error) {
	answered, err := s.get(ctx, path, aboutBytes, maxAge)
	if fault.KindOf(err) == fault.NotFound {
		return named{}, nil
	}
	if err == nil {
		err = s.decode(answered.body, &found)
	}
	return found, err
}

// names returns the names in lists of branches and tags.
func (s *source) names(ctx context.Context, paths ...string) (names []string, err error) {
	for _, path := range paths {
		answered, err := s.get(ctx, path, aboutBytes, fresh)
		if err != nil {
			return nil, err
		}
		var found []named
		if err := s.decode(answered.body, &found); err != nil {
			return nil, err
		}
		for _, one := range found {
			names = append(names, one.Name)
		}
	}
	return names, nil
}

// languages reads how much of each language an answer says, in bytes divided by so many.
func (s *source) languages(ctx context.Context, path string, times float64) ([]Language, error) {
	answered, err := s.get(ctx, path, aboutBytes, fresh)
	if err != nil {
		return nil, err
	}
	sizes := map[string]float64{}
	if err := s.decode(answered.body, &sizes); err != nil {
		return nil, err
	}
	bytes := map[string]int64{}
	for name, size := range sizes {
		bytes[name] = int64(min(max(size, 0)*times, 1<<60))
	}
	return languagesOf(bytes), nil
}

// contentsEntry is an entry in the answer of the contents API of GitHub, Gitea and Forgejo.
type contentsEntry struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Size int64  `json:"size"`
	SHA  string `json:"sha"`

	GitURL json.RawMessage `json:"git_url"`
	Target string          `json:"target"` // of a symbolic link that is asked for itself
}

// kind is the type of an entry of a listing. There GitHub calls submodules files, and only their git_url tells that they
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

// contents asks the contents API about a folder. If the path is a symbolic link within the repository, it returns its target instead.
func (s *source) contents(ctx context.Context, of project, branch, path string, maxAge time.Duration) (found []contentsEntry, target string, age Age, err error) {
	address := of.path + "/contents"
	if path != "" {
		address += escaped(strings.Split(path, "/")...)
	}
	answered, err := s.get(ctx, address+"?ref="+url.QueryEscape(branch), listBytes, maxAge)
	if err != nil {
		return nil, "", Age{}, orTooMany(err, path)
	}
	if begin := strings.TrimSpace(string(answered.body[:min(len(answered.body), 10)])); strings.HasPrefix(begin, "{") {
		var one contentsEntry
		if err := s.decode(answered.body, &one); err != nil {
			return nil, "", Age{}, err
		}
		if target, ok := targetOf(path, []byte(one.Target)); ok && one.Type == typeLink {
			return nil, target, Age{}, nil
		}
		return nil, "", Age{}, notAFolder(path, branch, of)
	}
	if err = s.decode(answered.body, &found); err == nil && found == nil {
		err = s.nonsense(errors.New("no entries"))
	}
	return found, "", answered.Age, err
}

// treeEntry is an entry of a folder as git has it.
type treeEntry struct {
	Type string `json:"type"` // blob, tree or commit
	Mode string `json:"mode"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	SHA  string `json:"sha"`

	Name string `json:"name"` // GitLab's, like the next: there, Path begins at the root
	ID   string `json:"id"`
}

// kind is its type in a listing.
func (e treeEntry) kind() string {
	if e.Mode == "120000" {
		return typeLink
	}
	return cmp.Or(map[string]string{"tree": TypeFolder, "commit": TypeSubmodule}[e.Type], TypeFile)
}

// gitTree is the answer about a folder as git has it.
type gitTree struct {
	Tree      []treeEntry `json:"tree"`
	Truncated bool        `json:"truncated"`
}

// listing returns it as the folder at a path.
func (t gitTree) listing(path string, age Age) Listing {
	listing := Listing{Age: age, Entries: []Entry{}, Truncated: t.Truncated}
	for _, one := range t.Tree {
		listing.add(path, one.kind(), one.Path, one.Size, one.SHA)
	}
	return listing
}
