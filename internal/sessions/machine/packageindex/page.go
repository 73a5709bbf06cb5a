package packageindex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"

	tokens "golang.org/x/net/html"
)

// page lists the files of a project in the order of the index, each name once.
type page []file

// file is one of a project's files, with everything pip needs before it downloads it.
type file struct {
	name           string
	address        string
	hash           string // such as sha256=0a; may be empty
	requiresPython string
	metadata       string // how to get its metadata separately (PEP 658): "true", a hash, or empty if that's impossible
	yanked         bool
	whyYanked      string
}

// jsonType is the media type of pages in PEP 691. Older indexes only have HTML.
const jsonType = "application/vnd.pypi.simple.v1+json"

var (
	fileForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+!-]{0,250}$`)
	hashForm = regexp.MustCompile(`^(?:md5|sha1|sha224|sha256|sha384|sha512)=[0-9a-f]+$`)
)

// readPage reads the page of a project, in any format; address is where it came from.
func readPage(kind string, content []byte, address string) (page, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var found page
	switch kind {
	case jsonType, "application/json":
		found, err = readJSON(content)
	case "application/vnd.pypi.simple.v1+html", "text/html", "application/xhtml+xml":
		found, base, err = readHTML(content, base)
	default:
		err = fmt.Errorf("it is of the type %q", kind)
	}
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	return slices.DeleteFunc(found, func(one file) bool {
		twice := names[one.name]
		names[one.name] = true
		return twice || !fileForm.MatchString(one.name)
	}).resolve(base), nil
}

// resolve resolves the addresses of files, and drops invalid ones.
func (p page) resolve(base *url.URL) page {
	found := page{} // an empty page is valid
	for _, one := range p {
		address, err := base.Parse(one.address)
		if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
			continue
		}
		address.Fragment, address.User = "", nil
		one.address = address.String()
		if !hashForm.MatchString(one.hash) {
			one.hash = ""
		}
		if one.metadata != "true" && !hashForm.MatchString(one.metadata) {
			one.metadata = ""
		}
		found = append(found, one)
	}
	return found
}

func readJSON(content []byte) (page, error) {
	var read struct {
		Files []struct {
			Filename       string            `json:"filename"`
			URL            string            `json:"url"`
			Hashes         map[string]string `json:"hashes"`
			RequiresPython string            `json:"requires-python"`
			Yanked         json.RawMessage   `json:"yanked"`             // true, false or why
			Metadata       json.RawMessage   `json:"core-metadata"`      // true, false or hashes
			OldMetadata    json.RawMessage   `json:"dist-info-metadata"` // the same under its first name
		} `json:"files"`
	}
	if err := json.Unmarshal(content, &read); err != nil {
		return nil, err
	}
	if read.Files == nil {
		return nil, errors.New("it has no files")
	}
	found := make(page, 0, len(read.Files))
	for _, one := range read.Files {
		kept := file{name: one.Filename, address: one.URL, hash: bestHash(one.Hashes), requiresPython: one.RequiresPython}
		if json.Unmarshal(one.Yanked, &kept.whyYanked) == nil && kept.whyYanked != "" || string(one.Yanked) == "true" {
			kept.yanked = true
		}
		if one.Metadata == nil {
			one.Metadata = one.OldMetadata
		}
		var hashes map[string]string
		if json.Unmarshal(one.Metadata, &hashes) == nil {
			kept.metadata = bestHash(hashes)
		} else if string(one.Metadata) == "true" {
			kept.metadata = "true"
		}
		found = append(found, kept)
	}
	return found, nil
}

// bestHash returns the hash under which files are stored, or another one.
func bestHash(hashes map[string]string) string {
	for _, kind := range []string{"sha256", "sha512", "sha384", "sha224", "sha1", "md5"} {
		if hashes[kind] != "" {
			return kind + "=" + hashes[kind]
		}
	}
	return ""
}

// readHTML reads the links of a page, and the address they are relative to.
func readHTML(content []byte, base *url.URL) (page, *url.URL, error) {
	var found page
	for from := tokens.NewTokenizer(bytes.NewReader(content)); ; {
		switch from.Next() {
		case tokens.ErrorToken:
			if err := from.Err(); !errors.Is(err, io.EOF) {
				return nil, nil, err
			}
			return found, base, nil
		case tokens.StartTagToken, tokens.SelfClosingTagToken:
			tag := from.Token()
			attributes := map[string]string{}
			for _, one := range tag.Attr {
				attributes[one.Key] = one.Val
			}
			switch tag.Data {
			case "base":
				if moved, err := base.Parse(attributes["href"]); err == nil {
					base = moved
				}
			case "a":
				if one, ok := readLink(attributes); ok {
					found = append(found, one)
				}
			}
		}
	}
}

func readLink(attributes map[string]string) (file, bool) {
	address, err := url.Parse(attributes["href"])
	if err != nil || address.Path == "" {
		return file{}, false
	}
	found := file{name: path.Base(address.Path), address: attributes["href"], hash: address.Fragment, requiresPython: attributes["data-requires-python"]}
	found.whyYanked, found.yanked = attributes["data-yanked"]
	var told bool
	if found.metadata, told = attributes["data-core-metadata"]; !told {
		found.metadata = attributes["data-dist-info-metadata"]
	}
	return found, true
}

// html writes the page for pip: its links lead to the guard.
func (p page) html(project string) string {
	var text strings.Builder
	text.WriteString("<!DOCTYPE html>\n<html><head><meta name=\"pypi:repository-version\" content=\"1.0\"></head><body>\n")
	for _, one := range p {
		fmt.Fprintf(&text, `<a href="../../files/%s/%s`, url.PathEscape(project), url.PathEscape(one.name))
		if one.hash != "" {
			text.WriteString("#" + one.hash)
		}
		text.WriteString(`"`)
		attribute := func(name, value string) { fmt.Fprintf(&text, ` %s="%s"`, name, html.EscapeString(value)) }
		if one.requiresPython != "" {
			attribute("data-requires-python", one.requiresPython)
		}
		if one.metadata != "" {
			attribute("data-dist-info-metadata", one.metadata)
		}
		if one.yanked {
			attribute("data-yanked", one.whyYanked)
		}
		fmt.Fprintf(&text, ">%s</a>\n", html.EscapeString(one.name))
	}
	text.WriteString("</body></html>\n")
	return text.String()
}

// find returns a file, or its metadata if the name has that suffix and the index provides it.
func (p page) find(name string) (file, error) {
	whole, metadata := strings.CutSuffix(name, metadataSuffix)
	for _, one := range p {
		switch {
		case one.name == name:
			return one, nil
		case metadata && one.name == whole && one.metadata != "":
			return file{name: name, address: one.address + metadataSuffix, hash: one.metadata}, nil
		}
	}
	return file{}, fault.New(fault.NotFound, "The package index has no such file.")
}

const metadataSuffix = ".metadata"
