package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// EntryVersion is a state of what an entry consists of: its files here, or a commit at a code host, with what the entry said at the time.
type EntryVersion struct {
	Number int       `json:"versionNumber" doc:"From 1"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty" doc:"Who made it; for signed-in callers"`
	Note   string    `json:"note" doc:"What its maker says about it"`
	Digest string    `json:"digest" doc:"Of kept files: the SHA-256 of their list as sha256sum writes it, sorted by path. At a code host: the commit. Empty if it isn't known"`
	DOI    string    `json:"doi,omitempty"`
	Files  int       `json:"files"`
	Bytes  int64     `json:"bytes"`
	Kept   bool      `json:"kept" doc:"This server has its files"`

	WithdrawnAt     *time.Time `json:"withdrawnAt,omitempty"`
	WithdrawnReason string     `json:"withdrawnReason,omitempty"`

	Stored string `json:"-"` // which version of the stored files it is; "" if this server keeps none
	entry  string // as JSON; "" for the latest one
}

// NewVersion is what an entry consists of from now on.
type NewVersion struct {
	Note   string
	Digest string
	Files  int
	Bytes  int64
	Stored string
	Task   string // that makes it, by which that knows whether it has; or ""
}

// ShownVersion says which version of an entry an answer is about.
type ShownVersion struct {
	Number          int       `json:"number"`
	Latest          int       `json:"latest"`
	At              time.Time `json:"at"`
	WithdrawnReason string    `json:"withdrawnReason,omitempty"`
}

// noteLimit is how many characters a note or a reason may have.
const noteLimit = 1000

// CheckNote checks what somebody says about a version.
func CheckNote(location, text string) error {
	if len([]rune(text)) > noteLimit || !ValidText(text, true) {
		return fault.InvalidField(location, "Write at most 1,000 characters of text.")
	}
	return nil
}

// Versions are the versions of the catalog's entries.
type Versions struct{ entries *Service }

// Versions returns the versions of entries.
func (s *Service) Versions() Versions { return Versions{s} }

// List returns the versions of an entry that the caller may see, the latest first. An entry that hasn't changed has one.
func (v Versions) List(ctx context.Context, id string) ([]EntryVersion, error) {
	entry, err := v.entries.load(ctx, id)
	if err != nil {
		return nil, err
	}
	found, err := v.entries.store.versions(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		found = []EntryVersion{firstVersion(entry)}
	}
	caller, signedIn := identity.From(ctx)
	for i := range found {
		if !signedIn || caller.Guest {
			found[i].By = ""
		}
	}
	slices.Reverse(found)
	return found, nil
}

// firstVersion is the only version of an entry that hasn't changed since it was added.
func firstVersion(entry Entry) EntryVersion {
	one := EntryVersion{Number: 1, At: entry.CreatedAt}
	if entry.LastRun != nil && entry.Type == Repository {
		one.Digest = entry.LastRun.Commit
	}
	return one
}

// Get returns an entry that the caller may see as it is in one of its versions. A withdrawn version has nothing but the entry's name:
// Gone says so, with what is left in the version.
func (v Versions) Get(ctx context.Context, id string, number int) (Entry, EntryVersion, ShownVersion, error) {
	entry, err := v.entries.load(ctx, id)
	if err != nil {
		return Entry{}, EntryVersion{}, ShownVersion{}, err
	}
	return v.entries.store.inVersion(ctx, entry, number)
}

// Latest returns the latest version of an entry that the caller may see.
func (v Versions) Latest(ctx context.Context, id string) (EntryVersion, error) {
	found, err := v.List(ctx, id)
	if err != nil {
		return EntryVersion{}, err
	}
	return found[0], nil
}

// Number returns the number of an entry's latest version; 0 if it has never changed.
func (v Versions) Number(ctx context.Context, id string) (int, error) {
	found, err := v.entries.store.versions(ctx, id)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[len(found)-1].Number, nil
}

// As returns an entry in any state as it was in a version; for features that apply the rules themselves.
func (v Versions) As(ctx context.Context, entry Entry, number int) (Entry, EntryVersion, ShownVersion, error) {
	return v.entries.store.inVersion(ctx, entry, number)
}

// versionKey is where a context has the number of a version.
type versionKey struct{}

// InVersion returns a context in which entries are read as they were in one of their versions.
func InVersion(ctx context.Context, number int) context.Context {
	return context.WithValue(ctx, versionKey{}, number)
}

// VersionOf returns the number of the version in which a context reads entries; 0: the latest.
func VersionOf(ctx context.Context) int {
	number, _ := ctx.Value(versionKey{}).(int)
	return number
}

// inVersionOf returns an entry as it is in the version that a context names.
func (s *Service) inVersionOf(ctx context.Context, entry Entry) (Entry, error) {
	number := VersionOf(ctx)
	if number == 0 {
		return entry, nil
	}
	was, _, _, err := s.store.inVersion(ctx, entry, number)
	return was, err
}

// showVersion adds which version an answer is about to an entry that has several, or whose files are kept here.
func (s *Service) showVersion(ctx context.Context, answer *Resource) error {
	found, err := s.store.versions(ctx, answer.ID)
	if err != nil || len(found) == 0 {
		return err
	}
	latest := found[len(found)-1]
	one := latest
	for _, each := range found {
		if each.Number == VersionOf(ctx) {
			one = each
		}
	}
	if len(found) == 1 && !one.Kept {
		return nil
	}
	answer.ShownVersion = &ShownVersion{Number: one.Number, Latest: latest.Number, At: one.At}
	if one.Number != latest.Number && answer.CanEdit != nil {
		no := false
		answer.CanEdit, answer.CanSync = &no, &no // what was isn't changed
	}
	return nil
}

// Create adds an entry that has its id already, with what it consists of, and returns it as the caller sees it.
func (v Versions) Create(ctx context.Context, r Entry, made NewVersion) (Resource, error) {
	changes, err := v.entries.store.CreateWith(ctx, r, made)
	if err != nil {
		return Resource{}, err
	}
	return v.entries.written(ctx, changes)
}

// Renew is Service.Update with another content.
func (v Versions) Renew(ctx context.Context, r Entry, seen time.Time, made NewVersion) (Resource, error) {
	return v.entries.update(ctx, audit.RenewEntry, r, seen, &made)
}

// Withdraw takes back a version for good: its address says why from then on. The latest one stays, because it is what the entry is.
func (v Versions) Withdraw(ctx context.Context, id string, number int, reason string) error {
	if err := identity.RefuseDisabled(ctx); err != nil {
		return err
	}
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	entry, err := v.entries.load(ctx, id)
	if err != nil {
		return err
	}
	if !entry.DeletableBy(caller.Email) && !entry.CuratedBy(caller) {
		return fault.New(fault.NotAuthor, "Only the authors of %s can withdraw a version: %s.", fault.Quote(entry.Name), entry.AuthorsText())
	}
	if reason == "" {
		return fault.InvalidField("body.reason", "Say why, for those who come to its address.")
	}
	if err := CheckNote("body.reason", reason); err != nil {
		return err
	}
	changes, err := v.entries.store.withdraw(ctx, id, number, reason)
	if err == nil {
		v.entries.Changed(ctx, changes)
	}
	return err
}

// withdrawn is what is said instead of a version that was taken back.
func withdrawn(one EntryVersion) error {
	return fault.New(fault.VersionWithdrawn, "Version %d was withdrawn: %s", one.Number, one.WithdrawnReason)
}

// frozen is an entry as it is stored with a version.
func frozen(r Entry) (string, error) {
	text, err := json.Marshal(EntryJSON(r))
	return string(text), err
}

// thaw returns an entry as it was in a version; who may see and change it is up to what it is now.
func (one EntryVersion) thaw(now Entry) (Entry, error) {
	if one.entry == "" {
		return now, nil
	}
	var was EntryJSON
	if err := json.Unmarshal([]byte(one.entry), &was); err != nil {
		return Entry{}, err
	}
	r := Entry(was)
	r.Privacy, r.Audience, r.State, r.Hidden, r.HiddenReason, r.Featured, r.HostID = now.Privacy, now.Audience, now.State, now.Hidden, now.HiddenReason, now.Featured, now.HostID
	r.IssuedAt = now.IssuedAt
	if one.DOI != "" {
		r.DOI = one.DOI
	}
	return r, nil
}

// consistsOf is what an entry consists of, which versions are about: everything else is said about it.
func (r Entry) consistsOf() [4]string {
	return [4]string{r.repositoryKey(), r.DatasetURL, r.NotebookPath, r.ApplicationInterfaceID}
}
