package versions

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"cairn/bench/report"
	"cairn/internal/foundation/versions"
)

// saver is what keeps versions: Cairn, restic or borg.
type saver interface {
	prepare(ctx context.Context) error
	save(ctx context.Context) error
	restore(ctx context.Context, folder string) error // of the last version, into a missing folder
	stored() (int64, error)
	close() error
}

// savers keep versions of a folder: Cairn, restic and borg.
func (b *bench) savers(name, folder string) []saver {
	return []saver{&cairn{place: b.path("cairn-" + name), folder: folder}, restic(b.path("restic-"+name), folder), borg(b.path("borg-"+name), folder)}
}

// cairn saves a folder with the package that the local engine uses, as a server does: the store stays open.
type cairn struct {
	place, folder string
	store         *versions.Store
	root          *os.Root
	last          versions.Version
}

func (c *cairn) prepare(context.Context) (err error) {
	if c.store, err = versions.Open(c.place, versions.Options{}); err == nil {
		c.root, err = os.OpenRoot(c.folder)
	}
	return err
}

func (c *cairn) save(ctx context.Context) error {
	saved, err := c.store.Save(ctx, versions.Request{Line: "session", Cause: "timer", Roots: []versions.Root{{Name: "work", Folder: c.root}}})
	c.last = saved.Version
	return err
}

func (c *cairn) restore(ctx context.Context, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	into, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer into.Close()
	_, err = c.store.Restore(ctx, c.last.ID, "work", into, "work", versions.RestoreOptions{})
	return err
}

func (c *cairn) stored() (int64, error) { return report.SizeOf(c.place) }

func (c *cairn) close() error {
	_ = c.root.Close()
	return c.store.Close()
}

// program is restic or borg.
type program struct {
	name, place, folder string
	make, store         []string
	extractsHere        bool // into the folder that it is in
	environment         []string
}

func restic(place, folder string) *program {
	return &program{
		name: "restic", place: place, folder: folder, make: []string{"init", "--repository-version", "2"}, store: []string{"backup", "--quiet", folder},
		environment: []string{"RESTIC_REPOSITORY=" + place, "RESTIC_PASSWORD=x", "RESTIC_CACHE_DIR=" + place + "-cache"},
	}
}

func borg(place, folder string) *program {
	return &program{
		name: "borg", place: place, folder: folder, make: []string{"init", "--encryption=none"},
		store: []string{"create", "--compression", "zstd", "::{utcnow:%Y%m%d%H%M%S%f}", folder}, extractsHere: true,
		environment: []string{"BORG_REPO=" + place, "BORG_BASE_DIR=" + place + "-base", "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes", "BORG_RELOCATED_REPO_ACCESS_IS_OK=yes"},
	}
}

func (p *program) run(ctx context.Context, folder string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, p.name, arguments...)
	command.Env, command.Dir = append(os.Environ(), p.environment...), folder
	output, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %.500s", p.name, arguments[0], err, output)
	}
	return strings.TrimSpace(string(output)), err
}

func (p *program) prepare(ctx context.Context) error {
	_, err := p.run(ctx, "", p.make...)
	return err
}

func (p *program) save(ctx context.Context) error {
	_, err := p.run(ctx, "", p.store...)
	return err
}

func (p *program) restore(ctx context.Context, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	if !p.extractsHere {
		_, err := p.run(ctx, "", "restore", "latest", "--target", folder)
		return err
	}
	last, err := p.run(ctx, "", "list", "--last", "1", "--short")
	if err == nil {
		_, err = p.run(ctx, folder, "extract", "::"+last)
	}
	return err
}

func (p *program) stored() (int64, error) { return report.SizeOf(p.place) }

func (p *program) close() error { return nil }

func timed(work func() error) (time.Duration, error) {
	began := time.Now()
	err := work()
	return time.Since(began), err
}

// repeated returns a quantile of how long something takes.
func repeated(count int, part float64, work func() error) (time.Duration, error) {
	var times []time.Duration
	for range count {
		took, err := timed(work)
		if err != nil {
			return 0, err
		}
		times = append(times, took)
	}
	return report.Quantile(times, part), nil
}
