package localjupyter_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// heads asks for the head of a repository in both ways: elsewhere, and of this server.
func (b *bench) heads(name, ref string) (commits []string, errs []error) {
	b.Helper()
	for _, local := range []string{"", filepath.Join(b.folder, name)} {
		repository := b.url(name)
		repository.Ref, repository.LocalPath = ref, local
		commit, err := b.engine.Head(b.Context(), repository)
		commits, errs = append(commits, commit), append(errs, err)
	}
	return commits, errs
}

// The head is what a launch would check out, and moves with the repository.
func TestHead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tagged := b.refsRepository()
	tree := filepath.Join(b.folder, "refs.git.tree")
	b.git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "tag", "-a", "-m", "Second", "v2.0", tagged)
	b.git("-C", tree, "push", "--quiet", filepath.Join(b.folder, "refs.git"), "refs/tags/v2.0")
	b.open()
	main, _ := b.commit("refs.git", "main")
	branch, _ := b.commit("refs.git", "feature/é&x")
	const other = "0123456789abcdef0123456789abcdef01234567"
	for ref, want := range map[string]string{"": main, "main": main, "feature/é&x": branch, "v1.0": tagged, "v2.0": tagged, other: other} {
		commits, errs := b.heads("refs.git", ref)
		for i, commit := range commits {
			if commit != want || errs[i] != nil {
				t.Errorf("%q is at %q (%v), want %q", ref, commit, errs[i], want)
			}
		}
	}
	for _, ref := range []string{"v3.0", tagged[:10], "heads/main", "1.0"} {
		_, errs := b.heads("refs.git", ref)
		for _, err := range errs {
			if fault.CodeOf(err) != fault.RefNotFound || fault.MessageOf(err) != "The repository has no branch or tag \""+ref+"\"." {
				t.Errorf("%q: %v", ref, err)
			}
		}
	}
	b.git("-C", tree, "checkout", "--quiet", "main")
	b.git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--allow-empty", "-m", "Later")
	b.git("-C", tree, "push", "--quiet", filepath.Join(b.folder, "refs.git"), "main")
	commits, _ := b.heads("refs.git", "")
	if moved, _ := b.commit("refs.git", "main"); moved == main || commits[0] != moved || commits[1] != moved {
		t.Errorf("After a push the heads are %v, want %s", commits, moved)
	}
	b.nothingLeft(b.repositories.URL)
}

// What can't be answered says why.
func TestHeadsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git("init", "--quiet", "--bare", "--template=", "--initial-branch=main", filepath.Join(b.folder, "empty.git"))
	b.repository("many.git", nil)
	only, _ := b.commit("many.git", "main")
	var many strings.Builder
	many.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 20_000 { // each of them ends like the one that is asked for
		fmt.Fprintf(&many, "%s refs/heads/%06d/refs/heads/main\n", only, i)
	}
	writeFile(t, filepath.Join(b.folder, "many.git/packed-refs"), many.String()+only+" refs/heads/main\n")
	b.open()
	const cannot = "The repository couldn't be asked for its latest commit"
	for name, test := range map[string]struct {
		ref     string
		code    fault.Code
		message string
	}{
		"empty.git":  {"", fault.RefNotFound, "The repository has no commits."},
		"absent.git": {"", "unavailable", cannot + ": "},
		"many.git":   {"main", "unavailable", cannot},
	} {
		repository := b.url(name)
		repository.Ref = test.ref
		commit, err := b.engine.Head(t.Context(), repository)
		if commit != "" || fault.CodeOf(err) != test.code || !strings.HasPrefix(fault.MessageOf(err), test.message) {
			t.Errorf("%s: %q %v", name, commit, err)
		}
	}
	gone := b.url("working.git")
	gone.LocalPath = filepath.Join(b.folder, "gone.git")
	if _, err := b.engine.Head(t.Context(), gone); fault.MessageOf(err) != "The repository is no longer on this server." {
		t.Errorf("A repository of this server that is gone: %v", err)
	}
	if _, err := b.engine.Head(t.Context(), engine.Repository{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("No repository: %v", err)
	}
	late, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := b.engine.Head(late, b.url("slow.git")); late.Err() == nil || err == nil {
		t.Errorf("A host that doesn't answer: %v", err)
	}
	b.nothingLeft(b.repositories.URL)
}

// The rules for addresses are those of clones.
func TestHeadsOfPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.Web, options.Network = strictWeb(), sandbox.Internet })
	b.open()
	_, err := b.engine.Head(t.Context(), b.url("working.git"))
	if fault.KindOf(err) != fault.Unavailable || !strings.HasSuffix(fault.MessageOf(err), "its host can't be reached on the public internet.") {
		t.Errorf("It is asked: %v", err)
	}
}
