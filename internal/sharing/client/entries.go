package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"
)

// Entry is an entry as far as the commands need it.
type Entry struct {
	ID            string
	Name          string
	Type          string
	RepositoryURL string
	DatasetURL    string

	JSON json.RawMessage `json:"-"` // as the server sent it
}

// UnmarshalJSON keeps what the server sent.
func (e *Entry) UnmarshalJSON(text []byte) error {
	type plain Entry
	if err := json.Unmarshal(text, (*plain)(e)); err != nil {
		return err
	}
	e.JSON = append(json.RawMessage(nil), text...)
	return nil
}

// Address returns the address of an entry's page.
func (c *Client) Address(entry Entry) string {
	types := map[string]string{"NOTEBOOK": "notebooks", "REPOSITORY": "repositories", "DATASET": "datasets", "MODEL": "models"}
	return c.Page("/resources/" + types[entry.Type] + "/" + url.PathEscape(entry.ID))
}

// Query says which entries are wanted.
type Query struct {
	Text, Type string
	Tags       []string
	Limit      int
}

const pageSize = 100

// Search finds entries, the best first, and returns how many match in all.
func (c *Client) Search(ctx context.Context, wanted Query) (found []Entry, total int, err error) {
	query := url.Values{"tag": {}}
	for _, tag := range wanted.Tags {
		query.Add("tag", strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(tag))
	}
	if wanted.Text != "" {
		query.Set("nameSearch", wanted.Text)
	}
	if wanted.Type != "" {
		query.Set("type", strings.ToUpper(wanted.Type))
	}
	query.Set("pageSize", strconv.Itoa(pageSize))
	for page := 0; len(found) < wanted.Limit; page++ {
		query.Set("pageNumber", strconv.Itoa(page))
		var answer struct {
			Content       *[]Entry
			TotalElements int
		}
		if err := c.call(ctx, http.MethodGet, "/resources/public", query, nil, &answer); err != nil {
			return nil, 0, err
		}
		if answer.Content == nil {
			return nil, 0, c.noServer(http.StatusOK)
		}
		found, total = append(found, *answer.Content...), answer.TotalElements
		if len(*answer.Content) < pageSize {
			break
		}
	}
	return found[:min(len(found), wanted.Limit)], total, nil
}

var (
	entryID   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$`)
	entryPath = regexp.MustCompile(`^/(?:id|run|resources/[a-z]+)/([^/]+)/?$`)
)

// EntryID returns the id of an entry that is named by its id, its permanent address or the address of its page.
func (c *Client) EntryID(text string) (string, error) {
	id := text
	if address, err := url.Parse(text); err == nil && address.Host != "" {
		if !strings.EqualFold(address.Host, c.base.Host) {
			return "", fault.New(fault.Invalid, "The entry is at %s, but %s is %s. Set it to the server that has the entry.", Printable(address.Host), AddressVariable, c.base)
		}
		id = ""
		if found := entryPath.FindStringSubmatch(address.Path); found != nil {
			id = found[1]
		}
	}
	if !entryID.MatchString(id) {
		return "", fault.New(fault.Invalid, "Name the entry by its id or by the address of its page; %s is neither. cairn search shows the addresses.", fault.Quote(Printable(text)))
	}
	return id, nil
}

// Entry returns an entry by its id.
func (c *Client) Entry(ctx context.Context, id string) (entry Entry, err error) {
	err = c.call(ctx, http.MethodGet, "/resources/public/"+url.PathEscape(id), nil, nil, &entry)
	if err == nil && entry.ID == "" {
		err = c.noServer(http.StatusOK)
	}
	return entry, err
}
