package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/site/demo"
)

// importChunk is the number of lines per transaction, small enough that other writes don't wait long.
const importChunk = 5000

// faultLimit is the number of faults after which an import stops reading.
const faultLimit = 20

// Import writes the files into the catalog. All of them are checked before the first write, so any fault leaves the
// catalog unchanged. progress receives progress messages and may be nil.
func Import(ctx context.Context, settings config.Config, files []string, progress io.Writer) error {
	return installation.WithDatabase(ctx, settings, func(db *sqldb.DB) error {
		run := newImporter(db, progress)
		run.codeHosts = settings.Code.Hosts()
		return run.files(ctx, files)
	})
}

func (run *importer) files(ctx context.Context, files []string) error {
	for _, name := range files {
		if err := run.file(name, run.check); err != nil {
			return err
		}
	}
	if err := run.finishCheck(ctx); err != nil {
		return err
	}
	for _, name := range files {
		if err := run.file(name, func(name string, _ int, line importLine, err error) error {
			if err != nil {
				return fault.New(fault.Conflict, "%s changed while it was read; run the import again to complete it", name)
			}
			return run.write(ctx, line)
		}); err != nil {
			return err
		}
	}
	return run.flush(ctx)
}

// ImportOnce imports the demo's catalog unless this database already has it.
func ImportOnce(ctx context.Context, db *sqldb.DB, content io.Reader) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	known, err := db.Meta(ctx, "demo")
	if err != nil || known == digest {
		return err
	}
	run := newImporter(db, nil)
	read := func(each func(name string, number int, line importLine, err error) error) error {
		return readLines(strings.NewReader(string(text)), false, func(number int, line importLine, err error) error {
			return each("demo catalog", number, line, err)
		})
	}
	if err := errors.Join(read(run.check), run.finishCheck(ctx)); err != nil {
		return err
	}
	err = read(func(_ string, _ int, line importLine, _ error) error { return run.write(ctx, line) })
	if err := errors.Join(err, run.flush(ctx)); err != nil {
		return err
	}
	return db.SetMeta(ctx, "demo", digest)
}

// importer checks and writes lines.
type importer struct {
	entries  *catalog.Store
	projects *projects.Store
	people   *identity.Store
	sessions *sessions.Store
	progress io.Writer
	input    []byte // the standard input, once it was read

	codeHosts []string // whose repositories are known without ".git"

	faults    []string
	total     int
	kinds     map[string]int           // how many lines there are of each
	seen      map[string]importedEntry // entries in the files, by externalId
	positions map[string]string        // where each externalId is, separately for entries and projects
	wanted    []reference

	resources []catalog.Entry
	curated   []importLine // entries that operators decided about
	drafts    []importLine
	accounts  importedPeople
	written   int
	recorded  bool // in the audit
}

type importedEntry struct {
	kind   catalog.Type
	public bool
}

// reference is an entry named by a project.
type reference struct {
	position, externalID string
	kind                 catalog.Type
	published            bool
}

func newImporter(db *sqldb.DB, progress io.Writer) *importer {
	return &importer{
		entries: catalog.NewStore(db), projects: projects.NewStore(db), people: identity.NewStore(db), sessions: sessions.NewStore(db), progress: progress, codeHosts: []string{"github.com"},
		kinds: map[string]int{}, seen: map[string]importedEntry{}, positions: map[string]string{},
	}
}

// file reads one file, JSON lines unless its name ends in .yaml or .yml; - is the standard input.
func (run *importer) file(name string, each func(name string, number int, line importLine, err error) error) error {
	content, err := run.open(name)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The file %s can't be read: %s.", name, humanize.Reason(err))
	}
	defer content.Close()
	ending := strings.ToLower(filepath.Ext(name))
	return readLines(content, ending == ".yaml" || ending == ".yml", func(number int, line importLine, err error) error {
		return each(name, number, line, err)
	})
}

// open keeps the standard input in memory, because files are read twice. It's as whoever started the command opened it: the
// server's account often may not open that file again.
func (run *importer) open(name string) (io.ReadCloser, error) {
	if name != "-" {
		return os.Open(name)
	}
	if run.input == nil {
		var err error
		if run.input, err = io.ReadAll(os.Stdin); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(bytes.NewReader(run.input)), nil
}

// check records the faults of one line.
func (run *importer) check(name string, number int, line importLine, err error) error {
	position := fmt.Sprintf("%s line %d", name, number)
	run.total++
	if err != nil {
		return run.fault(position + ": " + err.Error())
	}
	if line.Kind == "grant" || line.Kind == "star" { // they have no name of their own
		line.ExternalID = line.Email + line.Account + " " + line.Resource
	}
	if line.ExternalID == "" || len(line.ExternalID) > catalog.NameLimit || !catalog.ValidText(line.ExternalID, false) {
		return run.fault(position + ": externalId: must be 1 to 200 characters on one line")
	}
	if line.ID != "" && !sqldb.IsID(line.ID) {
		return run.fault(position + ": id: must be a UUID in lower case")
	}
	unique := line.Kind + " " + line.ExternalID
	if earlier, twice := run.positions[unique]; twice {
		return run.fault(position + ": externalId: is used in " + earlier + " already")
	}
	run.positions[unique] = position
	run.kinds[line.Kind]++

	var fields []fault.Field
	switch line.Kind {
	case "resource":
		resource := run.resource(line)
		fields = append(append(resource.Check(), checkBundled(resource)...), line.checkCuration()...)
		run.seen[line.ExternalID] = importedEntry{resource.Type, resource.Privacy == catalog.PrivacyPublic}
	case "project":
		fields = line.draft().Check()
		run.wanted = append(run.wanted, reference{position + ": repository", line.Repository, catalog.Repository, line.Published})
		for i, dataset := range line.Datasets {
			if slices.Contains(line.Datasets[:i], dataset) {
				fields = append(fields, fault.Field{Location: "datasets", Message: humanize.Quote(dataset) + " is listed twice"})
			}
			run.wanted = append(run.wanted, reference{position + ": datasets", dataset, catalog.Dataset, line.Published})
		}
	case "account", "grant", "star", "session":
		fields = run.checkPerson(position, line)
	default:
		return run.fault(position + ": kind: must be resource, project, account, grant, star or session")
	}
	for _, field := range fields {
		if err := run.fault(position + ": " + field.Location + ": " + field.Message); err != nil {
			return err
		}
	}
	return nil
}

func (run *importer) fault(text string) error {
	run.faults = append(run.faults, text)
	if len(run.faults) >= faultLimit {
		run.faults = append(run.faults, "and perhaps more")
		return run.report()
	}
	return nil
}

func (run *importer) report() error {
	if len(run.faults) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "Nothing was imported, because of these lines:\n  %s", strings.Join(run.faults, "\n  "))
}

// finishCheck looks up the entries that projects name, in the files and in the catalog.
func (run *importer) finishCheck(ctx context.Context) error {
	var elsewhere []string
	for _, one := range run.wanted {
		if _, ok := run.seen[one.externalID]; !ok {
			elsewhere = append(elsewhere, one.externalID)
		}
	}
	there, err := run.lookUp(ctx, elsewhere)
	if err != nil {
		return err
	}
	for _, one := range run.wanted {
		entry, ok := run.seen[one.externalID]
		if !ok {
			found := there[one.externalID]
			entry, ok = importedEntry{found.Type, found.Privacy == catalog.PrivacyPublic}, found.State == catalog.StateActive
		}
		var problem string
		switch {
		case !ok:
			problem = "no entry has the externalId " + humanize.Quote(one.externalID)
		case one.kind == anyKind:
			continue
		case entry.kind != one.kind:
			problem = humanize.Quote(one.externalID) + " is a " + string(entry.kind) + ", not a " + string(one.kind)
		case one.published && !entry.public:
			problem = humanize.Quote(one.externalID) + " is private, so the project can't be published"
		default:
			continue
		}
		if err := run.fault(one.position + ": " + problem); err != nil {
			return err
		}
	}
	for _, one := range run.accounts.wanted {
		if _, ok := run.positions["account "+one.externalID]; !ok {
			if err := run.fault(one.position + ": no account in these files has the externalId " + humanize.Quote(one.externalID)); err != nil {
				return err
			}
		}
	}
	return run.report()
}

// resource returns the entry of a line. Repositories of code hosts lose the ".git" of their address: browsers open them
// without it, and Git finds them either way.
func (run *importer) resource(line importLine) catalog.Entry {
	resource := line.resource()
	if short, ok := strings.CutSuffix(resource.RepositoryURL, ".git"); ok && slices.Contains(run.codeHosts, strings.ToLower(humanize.Host(short))) {
		resource.RepositoryURL = short
	}
	return resource
}

// checkBundled reports a bundled notebook that doesn't exist.
func checkBundled(resource catalog.Entry) []fault.Field {
	name, ok := strings.CutPrefix(resource.NotebookPath, "bundled:")
	if !ok {
		return nil
	}
	if _, err := fs.Stat(demo.NotebookFS(), name); err == nil {
		return nil
	}
	names, _ := fs.Glob(demo.NotebookFS(), "*.ipynb")
	return []fault.Field{{Location: "notebookPath", Message: "no notebook " + humanize.Quote(name) + " is included with this server; the names are " + strings.Join(names, ", ")}}
}

// lookUp finds imported entries in the catalog, and asks for each only once.
func (run *importer) lookUp(ctx context.Context, externalIDs []string) (map[string]catalog.Imported, error) {
	return run.entries.ByExternalID(ctx, slices.Compact(slices.Sorted(slices.Values(externalIDs))))
}

// write collects checked lines and writes them in chunks. All others come last, when all entries exist.
func (run *importer) write(ctx context.Context, line importLine) error {
	if line.Kind == "project" {
		run.drafts = append(run.drafts, line)
		return nil
	}
	if line.Kind != "resource" {
		run.accounts.add(line)
		return nil
	}
	if _, decided := line.Curation(); decided {
		run.curated = append(run.curated, line)
	}
	run.resources = append(run.resources, run.resource(line))
	if len(run.resources) < importChunk {
		return nil
	}
	return run.writeResources(ctx)
}

func (run *importer) writeResources(ctx context.Context) error {
	if err := run.entries.Import(ctx, run.resources, run.events()...); err != nil {
		return run.interrupted(err)
	}
	run.advance(len(run.resources))
	run.resources = run.resources[:0]
	return nil
}

// events returns the record of the whole import for its first transaction, so that there is one whatever happens later.
func (run *importer) events() []audit.Event {
	if run.recorded {
		return nil
	}
	run.recorded = true
	event := audit.Event{Action: audit.ImportCatalog, Object: audit.Object{Type: audit.Catalog}}
	for _, one := range importKinds {
		if count := run.kinds[one.kind]; count > 0 || one.always {
			event.Changes = append(event.Changes, audit.Change{Column: "import." + one.counted, New: count})
		}
	}
	return []audit.Event{event}
}

// importKinds are the kinds of lines, and how the record of an import counts them.
var importKinds = []struct {
	kind, counted string
	always        bool
}{
	{"resource", "entries", true},
	{"project", "projects", true},
	{"account", "accounts", false},
	{"grant", "grants", false},
	{"star", "stars", false},
	{"session", "sessions", false},
}

func (run *importer) flush(ctx context.Context) error {
	if len(run.resources) > 0 {
		if err := run.writeResources(ctx); err != nil {
			return err
		}
	}
	if err := run.curate(ctx); err != nil {
		return err
	}
	for start := 0; start < len(run.drafts); start += importChunk {
		part := run.drafts[start:min(start+importChunk, len(run.drafts))]
		var named []string
		for _, line := range part {
			named = append(append(named, line.Repository), line.Datasets...)
		}
		there, err := run.lookUp(ctx, named)
		if err != nil {
			return run.interrupted(err)
		}
		for _, name := range named {
			if there[name].ID == "" {
				return run.interrupted(fault.New(fault.NotFound, "no entry has the externalId %s", humanize.Quote(name)))
			}
		}
		drafts := make([]projects.Draft, len(part))
		for i, line := range part {
			drafts[i] = line.draft()
			drafts[i].RepositoryID = there[line.Repository].ID
			for _, dataset := range line.Datasets {
				drafts[i].DatasetIDs = append(drafts[i].DatasetIDs, there[dataset].ID)
			}
		}
		if err := run.projects.Import(ctx, drafts, run.events()...); err != nil {
			return run.interrupted(err)
		}
		run.advance(len(part))
	}
	return run.writePeople(ctx)
}

func (run *importer) advance(count int) {
	run.written += count
	if run.progress != nil {
		_, _ = fmt.Fprintf(run.progress, "\rImported %d of %d", run.written, run.total)
		if run.written == run.total {
			_, _ = fmt.Fprintln(run.progress)
		}
	}
}

func (run *importer) interrupted(err error) error {
	return fault.Wrap(err, fault.CodeOf(err), "The import stopped after %d of %d lines. Run it again to complete it", run.written, run.total)
}
