package archives

import (
	"cmp"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"
)

// Kind is the software of an archive.
type Kind string

// The kinds.
const (
	KindZenodo     Kind = "zenodo"
	KindInvenioRDM Kind = "inveniordm"
)

// Archive is a place for deposits, as operators list it.
type Archive struct {
	Name  string // in calls
	Label string // what people call it; "": the host of URL
	Kind  Kind
	URL   string // of its pages, as in https://zenodo.org; without a path
}

// Draft is a deposit. All methods that take one need its ID alone.
type Draft struct {
	ID        string // at the archive, also of the record that it becomes
	DOI       string // works only once it is published; "" while none is reserved
	URL       string // the page where its owner edits it, or that of the published record
	Published bool
}

// DraftFile is a file in a draft.
type DraftFile struct {
	Name string
	Size int64
	MD5  string // in hexadecimal; "" if the archive doesn't say, as while it is being uploaded
}

// Person is one who made a record. Archives usually want and give "Family, Given"; Figshare gives names as they are written.
type Person struct {
	Name        string
	ORCID       string // without an address, as in 0000-0002-1825-0097
	Affiliation string
}

// Related is a relation to something else. Relation is a type of DataCite's, such as IsSupplementTo.
type Related struct {
	Identifier string // a DOI or an address
	Relation   string
}

// Metadata describe a draft.
type Metadata struct {
	Title       string
	Type        string   // dataset, software or other
	Creators    []Person // with names as "Family, Given"; a name without a comma is taken for an organization's
	Description string   // HTML
	License     string   // an SPDX identifier
	Published   string   // the date, as in 2026-11-30
	Version     string
	Keywords    []string
	Related     []Related
	Notes       string // HTML
	Mark        string // that of Create, so that the draft is still found; "": it isn't any more
}

// Client deposits at an archive with the token that each call gets. Its faults are NotConnected for a token that the
// archive refuses, Unavailable with RetryAfter when it limits calls or can't answer, and BadUpstream for answers that can't
// be used. After Unavailable, BadUpstream and a canceled context, what was asked for may have been done all the same.
type Client struct {
	Archive

	web *web
	api dialect
}

// dialect is what differs between the kinds of archives.
type dialect interface {
	look(ctx context.Context, s session) (connections.Granted, error)
	find(ctx context.Context, s session, query, mark string) ([]Draft, error) // the drafts with the mark, found by a query
	create(ctx context.Context, s session, mark string) (Draft, error)
	newVersion(ctx context.Context, s session, id, mark string) (Draft, error)
	get(ctx context.Context, s session, id string) (Draft, error)
	files(ctx context.Context, s session, id string) ([]DraftFile, error)
	upload(ctx context.Context, s session, id, name string, content *upload) (md5 string, err error)
	deleteFile(ctx context.Context, s session, id, name string) error
	describe(ctx context.Context, s session, id string, metadata Metadata) error
	reserve(ctx context.Context, s session, id string) error
	publish(ctx context.Context, s session, id string) error
	discard(ctx context.Context, s session, id string) error
}

// New returns a client. Where the archive's URL is http, the safehttp.Client must allow that, and the archive's network
// if it is private.
func New(archive Archive, client *safehttp.Client) *Client {
	archive.URL = strings.TrimSuffix(archive.URL, "/")
	archive.Label = cmp.Or(archive.Label, humanize.Host(archive.URL))
	made := &Client{Archive: archive, web: newWeb(archive, client), api: zenodo{}}
	if archive.Kind == KindInvenioRDM {
		made.api = invenio{}
	}
	return made
}

func (c *Client) as(token string) session { return session{c.web, token} }

// Look returns what a token may do, as far as the archive says; Invalid if it refuses it. With Revoke it makes a Client a
// connections.Service.
func (c *Client) Look(ctx context.Context, token string) (connections.Granted, error) {
	granted, err := c.api.look(ctx, c.as(token))
	if fault.CodeOf(err) == fault.NotConnected {
		return connections.Granted{}, fault.InvalidField("body.token", "%s doesn't accept this token. It may have expired, lack a right, or be for another archive.", c.Label)
	}
	return granted, err
}

// Revoke does nothing: people take back their tokens at the archive.
func (*Client) Revoke(context.Context, string) (done bool, err error) { return false, nil }

// FindDraft finds the draft, or the record that it became, with a mark. The archive may need some seconds to index a new draft.
func (c *Client) FindDraft(ctx context.Context, token, mark string) (found Draft, ok bool, err error) {
	if err := checkMark(mark); err != nil {
		return Draft{}, false, err
	}
	// The newest ones are looked through as well: how a mark is split into words is the archive's affair.
	for _, query := range []string{`"` + mark + `"`, ""} {
		all, err := c.api.find(ctx, c.as(token), query, mark)
		if err != nil {
			return Draft{}, false, err
		}
		if open := slices.IndexFunc(all, func(one Draft) bool { return !one.Published }); open >= 0 {
			return all[open], true, nil
		}
		if len(all) > 0 {
			return all[0], true, nil
		}
	}
	return Draft{}, false, nil
}

// Create makes a draft with a mark: up to 200 letters, digits, spaces and any of "-_.:/", unique among all deposits, which
// people may see in the published record. Repeating it makes another draft, so look with FindDraft first.
func (c *Client) Create(ctx context.Context, token, mark string) (Draft, error) {
	if err := checkMark(mark); err != nil {
		return Draft{}, err
	}
	return c.api.create(ctx, c.as(token), mark)
}

// NewVersion returns the draft of the next version of a published record, which must be its newest. There is at most one,
// so repeating it is fine, and one that the person began at the archive is taken over. It has the files of the version before.
func (c *Client) NewVersion(ctx context.Context, token, previousRecordID, mark string) (Draft, error) {
	if err := cmp.Or(checkMark(mark), c.checkID(previousRecordID)); err != nil {
		return Draft{}, err
	}
	return c.api.newVersion(ctx, c.as(token), previousRecordID, mark)
}

// Get returns the present state of a draft: whether it was published, and its DOI. NotFound if there is neither a draft nor a record.
func (c *Client) Get(ctx context.Context, token string, draft Draft) (Draft, error) {
	if err := c.checkID(draft.ID); err != nil {
		return Draft{}, err
	}
	return c.api.get(ctx, c.as(token), draft.ID)
}

// Files returns what is in a draft.
func (c *Client) Files(ctx context.Context, token string, draft Draft) ([]DraftFile, error) {
	if err := c.checkID(draft.ID); err != nil {
		return nil, err
	}
	return c.api.files(ctx, c.as(token), draft.ID)
}

// Upload puts a file of this size into a draft, in place of one with the same name. Names have no folders. BadUpstream if
// the archive got something else than what was read. Errors of the reader are returned as they are.
func (c *Client) Upload(ctx context.Context, token string, draft Draft, name string, size int64, content io.Reader) error {
	if err := cmp.Or(c.checkID(draft.ID), checkFileName(name)); err != nil {
		return err
	}
	sent := newUpload(content, size)
	received, err := c.api.upload(ctx, c.as(token), draft.ID, name, sent)
	digest, failed := sent.digest()
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return err
	case !strings.EqualFold(received, digest):
		return fault.New(fault.BadUpstream, "%s received %s changed: its checksum isn't that of what was sent. Send it again.", c.Label, fault.Quote(name))
	}
	return nil
}

// DeleteFile takes a file out of a draft. One that isn't there is fine.
func (c *Client) DeleteFile(ctx context.Context, token string, draft Draft, name string) error {
	if err := cmp.Or(c.checkID(draft.ID), checkFileName(name)); err != nil {
		return err
	}
	return c.api.deleteFile(ctx, c.as(token), draft.ID, name)
}

// Describe writes the metadata of a draft in place of those before. Invalid, with a field for each value that the archive
// doesn't accept, named as there: it may have stored the others.
func (c *Client) Describe(ctx context.Context, token string, draft Draft, metadata Metadata) error {
	if err := c.checkID(draft.ID); err != nil {
		return err
	}
	if metadata.Mark != "" {
		if err := checkMark(metadata.Mark); err != nil {
			return err
		}
	}
	return c.api.describe(ctx, c.as(token), draft.ID, metadata)
}

// Reserve returns the draft with a DOI, which works only once it is published. Repeating it is fine.
func (c *Client) Reserve(ctx context.Context, token string, draft Draft) (Draft, error) {
	now, err := c.Get(ctx, token, draft)
	if err != nil || now.DOI != "" {
		return now, err
	}
	refused := c.api.reserve(ctx, c.as(token), draft.ID) // also because there is one by now
	now, err = c.Get(ctx, token, draft)
	switch {
	case err == nil && now.DOI != "":
		return now, nil
	case refused != nil:
		return Draft{}, refused
	case err != nil:
		return Draft{}, err
	}
	return Draft{}, fault.New(fault.BadUpstream, "%s gives this draft no DOI.", c.Label)
}

// Publish publishes a draft for good, and returns it with its DOI. Repeating it is fine: one that was published already is
// returned. If it isn't known whether it was published, the error is that of the archive, and Get tells later.
func (c *Client) Publish(ctx context.Context, token string, draft Draft) (Draft, error) {
	now, err := c.Get(ctx, token, draft)
	if err != nil || now.Published {
		return now, err
	}
	refused := c.api.publish(ctx, c.as(token), draft.ID)
	now, err = c.Get(ctx, token, draft)
	switch {
	case err == nil && now.Published:
		return now, nil
	case refused != nil:
		return Draft{}, refused
	case err != nil:
		return Draft{}, err
	}
	return Draft{}, fault.New(fault.Unavailable, "%s hasn't published this yet. Look again in a while.", c.Label)
}

// Discard deletes a draft. One that isn't there is fine; Conflict for one that was published.
func (c *Client) Discard(ctx context.Context, token string, draft Draft) error {
	now, err := c.Get(ctx, token, draft)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case now.Published:
		return fault.New(fault.Conflict, "This is published at %s, so it can't be discarded.", c.Label)
	}
	if err := c.api.discard(ctx, c.as(token), draft.ID); fault.KindOf(err) != fault.NotFound {
		return err
	}
	return nil
}

var (
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	markPattern = regexp.MustCompile(`^[\pL\pN][\pL\pN _.:/-]{0,199}$`)
)

// checkID refuses what would lead to another address of the archive.
func (c *Client) checkID(id string) error {
	if !idPattern.MatchString(id) {
		return fault.New(fault.NotFound, "%s has no deposit %s.", c.Label, fault.Quote(id))
	}
	return nil
}

// checkMark refuses what archives would store differently, or what means something in a query.
func checkMark(mark string) error {
	if !markPattern.MatchString(mark) {
		return fault.New(fault.Invalid, "%s can't mark a deposit.", fault.Quote(mark))
	}
	return nil
}

// checkFileName refuses names that aren't those of a file without a folder.
func checkFileName(name string) error {
	odd := func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }
	if name == "" || name == "." || name == ".." || len(name) > 255 || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return fault.New(fault.Invalid, "%s can't be the name of a file in an archive: they have no folders.", fault.Quote(name))
	}
	return nil
}
