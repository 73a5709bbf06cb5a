package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"

	"go.yaml.in/yaml/v3"
)

// importLine is one line of an import or export: an entry, a project, an account, what operators decided about one, a star, or
// a session. Lines refer to others by externalId. What is empty is left out by an export.
type importLine struct {
	Kind       string    `json:"kind"`
	ExternalID string    `json:"externalId,omitempty"`
	ID         string    `json:"id,omitempty"`       // of what is new here
	CreatedAt  time.Time `json:"createdAt,omitzero"` // likewise
	Name       string    `json:"name,omitempty"`

	catalog.Portable // of an entry

	OwnerID    string   `json:"ownerId,omitempty"`
	Repository string   `json:"repository,omitempty"`
	Datasets   []string `json:"datasets,omitempty"`
	Published  bool     `json:"published,omitempty"`

	Members []importMember `json:"members,omitempty"` // of a project

	Issuer     string `json:"issuer,omitempty"` // of the account's sign-in, like its subject
	Subject    string `json:"subject,omitempty"`
	Email      string `json:"email,omitempty"`
	DisabledAs string `json:"disabledAs,omitempty"`
	Enabled    bool   `json:"enabled,omitempty"`
	Role       string `json:"role,omitempty"`

	Account  string `json:"account,omitempty"` // of a star or a session
	Resource string `json:"resource,omitempty"`

	Engine      string          `json:"engine,omitempty"`
	Holds       json.RawMessage `json:"holds,omitempty"`
	StartedFrom json.RawMessage `json:"startedFrom,omitempty"`
}

// importMember is a member of a project.
type importMember struct {
	Email string `json:"email"`
	Role  string `json:"role"`
}

func (l importLine) resource() catalog.Entry {
	resource := catalog.Entry{ExternalID: l.ExternalID, ID: l.ID, CreatedAt: l.CreatedAt, Name: l.Name}
	l.Into(&resource)
	return resource
}

func (l importLine) draft() projects.Draft {
	draft := projects.Draft{
		ExternalID: l.ExternalID, ID: l.ID, CreatedAt: l.CreatedAt, Name: strings.TrimSpace(l.Name), OwnerEmail: identity.NormalizeEmail(l.OwnerID), Published: l.Published,
	}
	for _, member := range l.Members {
		draft.Members = append(draft.Members, projects.Member{Email: identity.NormalizeEmail(member.Email), Role: projects.Role(member.Role)})
	}
	return draft
}

func (l importLine) account() identity.Exported {
	return identity.Exported{
		ID: l.ID, Issuer: l.Issuer, Subject: l.Subject, Email: identity.NormalizeEmail(l.Email), Name: l.Name,
		DisabledAs: identity.NormalizeEmail(l.DisabledAs), CreatedAt: l.CreatedAt,
	}
}

func (l importLine) grant() identity.Grant {
	return identity.Grant{Email: identity.NormalizeEmail(l.Email), Enabled: l.Enabled, Role: l.Role}
}

func (l importLine) session() sessions.Exported {
	return sessions.Exported{
		ID: l.ExternalID, Name: l.Name, Email: identity.NormalizeEmail(l.OwnerID), Engine: l.Engine, Holds: l.Holds, StartedFrom: l.StartedFrom,
		CreatedAt: l.CreatedAt,
	}
}

// lineLimit is far above the size of the largest valid entry.
const lineLimit = 1 << 20

// readLines calls each with every line of an import and its number: one JSON object per line, or, for YAML, the items
// of a list with the numbers of their first lines. A decoding error is passed along with its line.
func readLines(content io.Reader, isYAML bool, each func(number int, line importLine, err error) error) error {
	if isYAML {
		return readYAML(content, each)
	}
	scanner := bufio.NewScanner(content)
	scanner.Buffer(make([]byte, 64<<10), lineLimit)
	number := 0
	for scanner.Scan() {
		number++
		if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
			line, err := decodeLine(text)
			if err := each(number, line, err); err != nil {
				return err
			}
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return each(number+1, importLine{}, errors.New("the line is longer than 1 MiB"))
	}
	return scanner.Err()
}

func readYAML(content io.Reader, each func(number int, line importLine, err error) error) error {
	var items []yaml.Node
	if err := yaml.NewDecoder(content).Decode(&items); err != nil && !errors.Is(err, io.EOF) {
		return each(1, importLine{}, errors.New("the file must be a list of entries: "+err.Error()))
	}
	for _, item := range items {
		var value any
		err := item.Decode(&value)
		var line importLine
		if err == nil {
			var text []byte
			if text, err = json.Marshal(value); err == nil {
				line, err = decodeLine(text)
			}
		}
		if err := each(item.Line, line, err); err != nil {
			return err
		}
	}
	return nil
}

// wordOf returns the JSON name of a kind of value.
func wordOf(kind reflect.Kind) string {
	switch kind {
	case reflect.Struct:
		return "object"
	case reflect.Slice:
		return "array"
	default:
		return kind.String()
	}
}

func decodeLine(text []byte) (importLine, error) {
	var line importLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&line)
	if err == nil {
		if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there's something after the JSON object")
		}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s: %s was given where %s is expected", cmp.Or(wrong.Field, "the line"), wrong.Value, wordOf(wrong.Type.Kind()))
	}
	if err != nil {
		err = errors.New(strings.Replace(err.Error(), "json: unknown field", "there is no field", 1))
	}
	return line, err
}
