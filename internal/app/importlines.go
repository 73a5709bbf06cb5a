package app

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

	"cairn/internal/catalog"
	"cairn/internal/identity"
	"cairn/internal/projects"

	"go.yaml.in/yaml/v3"
)

// importLine is one entry or project of an import file.
type importLine struct {
	Kind       string `json:"kind"`
	ExternalID string `json:"externalId"`
	Name       string `json:"name"`

	Type                   catalog.Type    `json:"type"`
	Description            string          `json:"description"`
	Authors                []string        `json:"authors"`
	Tags                   []string        `json:"tags"`
	Privacy                catalog.Privacy `json:"privacy"`
	HeaderImage            string          `json:"headerImage"`
	RepositoryURL          string          `json:"repositoryUrl"`
	DatasetURL             string          `json:"datasetUrl"`
	NotebookPath           string          `json:"notebookPath"`
	ApplicationInterfaceID string          `json:"applicationInterfaceId"`
	Version                string          `json:"version"`

	People  []catalog.Credit `json:"people"`
	AddedBy string           `json:"addedBy"`
	License string           `json:"license"`
	DOI     string           `json:"doi"`

	Content string `json:"content"` // Markdown of its files

	OwnerID    string   `json:"ownerId"`
	Repository string   `json:"repository"`
	Datasets   []string `json:"datasets"`
	Published  bool     `json:"published"`
}

func (l importLine) resource() catalog.Resource {
	resource := catalog.Resource{
		ExternalID: l.ExternalID, Name: l.Name, Type: l.Type, Description: l.Description, HeaderImage: l.HeaderImage,
		Authors: l.Authors, Privacy: l.Privacy, RepositoryURL: l.RepositoryURL, DatasetURL: l.DatasetURL,
		NotebookPath: l.NotebookPath, ApplicationInterfaceID: l.ApplicationInterfaceID, Version: l.Version,
		People: l.People, AddedBy: l.AddedBy, License: l.License, DOI: l.DOI, Content: l.Content,
	}
	for _, tag := range l.Tags {
		resource.Tags = append(resource.Tags, catalog.Tag{Value: tag})
	}
	resource.Normalize()
	return resource
}

func (l importLine) draft() projects.Draft {
	return projects.Draft{
		ExternalID: l.ExternalID, Name: strings.TrimSpace(l.Name), OwnerEmail: identity.NormalizeEmail(l.OwnerID), Published: l.Published,
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
			err = errors.New("there is something behind the JSON object")
		}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s: %s stands where %s is meant", cmp.Or(wrong.Field, "the line"), wrong.Value, wordOf(wrong.Type.Kind()))
	}
	if err != nil {
		err = errors.New(strings.Replace(err.Error(), "json: unknown field", "there is no field", 1))
	}
	return line, err
}
