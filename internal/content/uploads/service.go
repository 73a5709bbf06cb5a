package uploads

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"

	"github.com/tus/tusd/v2/pkg/handler"
	"github.com/tus/tusd/v2/pkg/memorylocker"
	tuslog "golang.org/x/exp/slog"
)

const (
	lifetime   = 7 * 24 * time.Hour // since the last byte
	sweepEvery = time.Hour
	maxUploads = 10_000 // of an account
	nameLimit  = 255    // bytes of an element of a path, as file systems have it
	pathLimit  = 1_000  // bytes of a path
)

// Options configure a Service.
type Options struct {
	Folder string // of the bytes; every server of an installation has the same one
	File   int64  // the most that an upload may have, in bytes
	Quota  int64  // the most that an account may have in uploads and kept entries, in bytes
	Off    string // why nothing can be uploaded, as a sentence; "": it can
	Path   string // of the calls, such as /api/v1/rf/uploads
	Now    func() time.Time
	Logger *slog.Logger
}

// Service receives uploads.
type Service struct {
	options Options
	store   *Store
	disk    *disk
	tus     *handler.UnroutedHandler
}

// New returns a service whose folder exists.
func New(store *Store, options Options) (*Service, error) {
	if err := os.MkdirAll(options.Folder, folderMode); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The folder for uploads can't be made: %s.", options.Folder)
	}
	s := &Service{options: options, store: store, disk: newDisk(options.Folder, store.touch)}
	composer := handler.NewStoreComposer()
	composer.UseCore(s.disk)
	composer.UseTerminater(s.disk)
	composer.UseLocker(locks{options.Folder, memorylocker.New()})
	var err error
	s.tus, err = handler.NewUnroutedHandler(handler.Config{
		StoreComposer: composer, BasePath: options.Path, MaxSize: options.File, DisableDownload: true, DisableConcatenation: true,
		Cors: &handler.CorsConfig{Disable: true}, Logger: tuslog.New(quiet{}), PreUploadCreateCallback: s.name,
	})
	return s, err
}

// quiet drops what the library logs: requests are logged as all others are, and faults with their request.
type quiet struct{}

func (quiet) Enabled(context.Context, tuslog.Level) bool  { return false }
func (quiet) Handle(context.Context, tuslog.Record) error { return nil }
func (q quiet) WithAttrs([]tuslog.Attr) tuslog.Handler    { return q }
func (q quiet) WithGroup(string) tuslog.Handler           { return q }

// newKey is where a request has the upload that it makes.
type newKey struct{}

// name gives an upload the id that it has in the database. What else its sender says stays there.
func (s *Service) name(event handler.HookEvent) (handler.HTTPResponse, handler.FileInfoChanges, error) {
	made, ok := event.Context.Value(newKey{}).(Upload)
	if !ok {
		return handler.HTTPResponse{}, handler.FileInfoChanges{}, errors.New("an upload without an id")
	}
	return handler.HTTPResponse{Header: handler.HTTPHeader{"Upload-Expires": s.options.Now().Add(lifetime).UTC().Format(http.TimeFormat)}},
		handler.FileInfoChanges{ID: made.ID, MetaData: handler.MetaData{}}, nil
}

// Available returns why the caller can't upload anything; nil if they can.
func (s *Service) Available(ctx context.Context) (identity.Caller, error) {
	caller, err := identity.RequireContributor(ctx)
	if err == nil && !caller.Enabled {
		err = fault.New(fault.NotEnabled, "Your account (%s) is not enabled yet. Please ask the operators to enable it.", caller.Email)
	}
	if err == nil && s.options.Off != "" {
		err = fault.New(fault.Unavailable, "%s", s.options.Off)
	}
	return caller, err
}

// Limits returns how much the caller may keep here.
func (s *Service) Limits(ctx context.Context) (UploadQuota, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return UploadQuota{}, err
	}
	used, err := s.store.used(ctx, caller.AccountID, caller.Email)
	return UploadQuota{Bytes: s.options.Quota, Used: used, File: s.options.File}, err
}

// CheckRoom returns QuotaReached if the caller can't have so many bytes more here.
func (s *Service) CheckRoom(ctx context.Context, more int64) error {
	limits, err := s.Limits(ctx)
	if err == nil && limits.Used+more > limits.Bytes {
		err = quotaReached(limits.Used, more, limits.Bytes)
	}
	return err
}

// List returns the caller's uploads, the oldest first.
func (s *Service) List(ctx context.Context) ([]Upload, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.store.of(ctx, caller.AccountID)
	for i := range found {
		found[i].Received = s.disk.received(found[i].ID)
	}
	return found, err
}

// Path returns where the bytes of an upload are.
func (s *Service) Path(id string) string { return s.disk.path(id) }

// Complete returns uploads of an account in their order, all of whose bytes have arrived and are what their sender has: digests are what
// that says of each, by its id, in hexadecimal digits. NotFound, UploadIncomplete or DigestMismatch name those that aren't.
func (s *Service) Complete(ctx context.Context, accountID string, ids []string, digests map[string]string) ([]Upload, error) {
	if len(ids) == 0 {
		return nil, fault.InvalidField("body.upload", "Name at least one upload.")
	}
	if len(ids) > maxUploads {
		return nil, fault.InvalidField("body.upload", "Name at most %d uploads.", maxUploads)
	}
	found := make([]Upload, 0, len(ids))
	var incomplete, different []fault.Field
	for i, id := range ids {
		at := fmt.Sprintf("body.upload[%d]", i)
		if slices.Contains(ids[:i], id) {
			return nil, fault.InvalidField(at, "An upload is named twice.")
		}
		one, err := s.store.get(ctx, accountID, id)
		if err != nil {
			return nil, err
		}
		if one.Received = s.disk.received(id); one.Received != one.Bytes {
			incomplete = append(incomplete, fault.Field{Location: at, Message: fmt.Sprintf("%s: %s of %s have arrived", fault.Quote(one.Filename), humanize.Bytes(one.Received), humanize.Bytes(one.Bytes))})
			continue
		}
		if one.Digest == "" { // the server ended between the last byte and its note
			if one.Digest, err = s.disk.complete(id, one.Bytes); err != nil {
				return nil, err
			}
			if err := s.store.touch(ctx, id, one.Digest); err != nil {
				return nil, err
			}
		}
		for _, said := range []string{one.wanted, digests[id]} {
			if said != "" && !strings.EqualFold(said, one.Digest) {
				different = append(different, fault.Field{Location: at, Message: fmt.Sprintf("%s arrived with the SHA-256 %s, not %s", fault.Quote(one.Filename), one.Digest, said)})
				break
			}
		}
		found = append(found, one)
	}
	switch {
	case len(incomplete) > 0:
		refused := fault.New(fault.UploadIncomplete, "%s hasn't arrived completely. Send the rest, then try again.", upToOne(len(incomplete), "An upload", "uploads"))
		refused.Fields = incomplete
		return nil, refused
	case len(different) > 0:
		refused := fault.New(fault.DigestMismatch, "%s isn't the file that was sent. It may have changed while it was uploaded, or on the way: delete the upload and send the file again.",
			upToOne(len(different), "An upload", "uploads"))
		refused.Fields = different
		return nil, refused
	}
	return found, nil
}

func upToOne(count int, one, many string) string {
	if count == 1 {
		return one
	}
	return "One of " + strconv.Itoa(count) + " " + many
}

// Delete deletes uploads whose content is somewhere else by now.
func (s *Service) Delete(ctx context.Context, ids []string) error {
	if err := s.store.remove(ctx, ids); err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		faults = append(faults, s.disk.remove(id), removeLock(s.disk.path(id)))
	}
	return errors.Join(faults...)
}

func removeLock(path string) error {
	if err := os.Remove(path + ".lock"); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Run deletes what was left for a week, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	ticks := time.NewTicker(sweepEvery)
	defer ticks.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.options.Logger.WarnContext(ctx, "old uploads can't be deleted; trying again in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// Sweep deletes uploads that were left for a week, and files of which nobody knows.
func (s *Service) Sweep(ctx context.Context) error {
	old, err := s.store.left(ctx, s.options.Now().Add(-lifetime))
	if err != nil {
		return err
	}
	ids := make([]string, len(old))
	for i, one := range old {
		ids[i] = one.ID
	}
	if err := s.Delete(ctx, ids); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.options.Folder)
	if err != nil {
		return err
	}
	ids = ids[:0]
	for _, one := range entries {
		id, _, _ := strings.Cut(one.Name(), ".")
		// A new upload's row is written before its file, so what has no row is left of a deletion.
		if about, err := one.Info(); err == nil && isID(id) && s.options.Now().Sub(about.ModTime()) > sweepEvery {
			ids = append(ids, id)
		}
	}
	ids = slices.Compact(ids)
	known, err := s.store.exists(ctx, ids)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if !known[id] {
			faults = append(faults, s.disk.remove(id), removeLock(s.disk.path(id)))
		}
	}
	return errors.Join(faults...)
}

var digestPattern = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// described returns the upload that a request describes.
func described(header http.Header, most int64) (one Upload, err error) {
	length := header.Get("Upload-Length")
	if length == "" {
		return one, fault.New(fault.Malformed, "Say in Upload-Length how many bytes the file has.")
	}
	if one.Bytes, err = strconv.ParseInt(length, 10, 64); err != nil || one.Bytes < 0 {
		return one, fault.New(fault.Malformed, "Upload-Length isn't a number of bytes.")
	}
	if one.Bytes > most {
		return one, fault.New(fault.TooLarge, "The file has %s; the most that can be uploaded at once is %s.", humanize.Bytes(one.Bytes), humanize.Bytes(most))
	}
	said := handler.ParseMetadataHeader(header.Get("Upload-Metadata"))
	one.Filename, one.Path, one.wanted = said["filename"], said["path"], strings.ToLower(said["sha256"])
	one.Packed = said["packed"] == "tar"
	if one.Filename == "" {
		one.Filename = path.Base("/" + one.Path)
	}
	if said["packed"] != "" && !one.Packed {
		return one, fault.New(fault.Malformed, "Upload-Metadata: packed is tar or absent.")
	}
	if one.wanted != "" && !digestPattern.MatchString(one.wanted) {
		return one, fault.New(fault.Malformed, "Upload-Metadata: sha256 isn't 64 hexadecimal digits.")
	}
	if !validName(one.Filename) {
		return one, fault.New(fault.Malformed, "Upload-Metadata: filename must be a name of 1 to %d bytes of UTF-8 without slashes.", nameLimit)
	}
	if one.Path != "" {
		if err := CheckPath(one.Path); err != nil {
			return one, fault.New(fault.Malformed, "Upload-Metadata: path %s", err)
		}
	}
	return one, nil
}

func validName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= nameLimit && utf8.ValidString(name) && !strings.ContainsAny(name, "/\\\x00")
}

// CheckPath returns what is wrong with the path of a file below a folder; nil for one that can be stored and leads nowhere else.
func CheckPath(name string) error {
	switch {
	case !utf8.ValidString(name):
		return errors.New("isn't UTF-8")
	case len(name) > pathLimit:
		return fmt.Errorf("is longer than %d bytes", pathLimit)
	case !filepath.IsLocal(name) || path.Clean(name) != name || name == "." || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }):
		return errors.New("isn't the path of a file below a folder")
	case strings.Count(name, "/") >= filetree.MaxDepth:
		return fmt.Errorf("has more than %d folders inside each other", filetree.MaxDepth)
	}
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > nameLimit {
			return fmt.Errorf("has a name longer than %d bytes", nameLimit)
		}
	}
	return nil
}

func quotaReached(used, more, most int64) error {
	return fault.New(fault.QuotaReached, "You may keep %s here, and have %s. %s more don't fit: delete uploads or entries of yours that you don't need.",
		humanize.Bytes(most), humanize.Bytes(used), humanize.Bytes(more))
}
