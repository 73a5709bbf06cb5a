// Package secretscan says which files of a folder that is about to be published look as if they had a secret in them. It is a warning and
// no wall: it knows files by their names, and the forms of tokens, keys and passwords in their text. It never returns a secret.
package secretscan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/plaintext"
)

// The limits of a scan. Only the first MaxBytes bytes of a file are searched, and what comes after the first MaxWarnings is only told
// to exist.
const (
	MaxBytes    = 10 << 20
	MaxWarnings = 1000
)

// Kind is a code for what a file seems to contain.
type Kind string

// The kinds. Those of files (EnvFile, CredentialsFile, and PrivateKey for some) are known by the file's name alone.
const (
	PrivateKey        Kind = "private_key"         // the private half of a key pair
	Token             Kind = "token"               // of the service in Warning.Host
	JWT               Kind = "jwt"                 // a signed JSON web token
	PasswordInAddress Kind = "password_in_address" // https://name:password@host, or the same for curl
	GenericSecret     Kind = "generic_secret"      // a name such as api_key or password, with a value that looks like one
	EnvFile           Kind = "env_file"            // variables, among which secrets are usual
	CredentialsFile   Kind = "credentials_file"    // where a program keeps what it signs in with
)

// Warning is one kind of secret in one file, at the first place where it was found.
type Warning struct {
	Path string // as it was given
	Kind Kind
	Host string // the service of a Token, such as "github"; otherwise empty
	Line int    // from 1; 0 in notebooks, and when the name of the file is the reason
	Cell int    // of a notebook, from 1; 0 otherwise, and for what is beside its cells
}

// Report is the outcome of a scan.
type Report struct {
	Warnings []Warning // in the order of the paths, at most MaxWarnings
	More     bool      // there are more warnings; the files after that weren't read
	Partial  int       // how many files were only searched in their first MaxBytes bytes
	Unread   []string  // files that weren't searched, because they can't be read or the time was over; their names were judged
}

// Source opens a file by its path.
type Source func(path string) (io.ReadCloser, error)

var errSpecial = errors.New("this is no regular file")

// FromFolder opens the files of a folder. Links are followed within it. Pipes and devices are refused without waiting for them.
func FromFolder(root *os.Root) Source {
	return func(path string) (io.ReadCloser, error) {
		file, err := root.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		about, err := file.Stat()
		if err == nil && !about.Mode().IsRegular() {
			err = errSpecial
		}
		if err != nil {
			_ = file.Close()
			return nil, err
		}
		return file, nil
	}
}

// Scan searches the files at paths, which are separated by slashes. The only error is that of the context, with what was found until then: a
// file that can't be read is named in the report. Time is linear in what is read, and memory is a small multiple of MaxBytes.
func Scan(ctx context.Context, open Source, paths []string) (Report, error) {
	var report Report
	for _, path := range paths {
		if isSkipped(path) {
			continue
		}
		f := found{path: path, report: &report}
		if kind := kindOfName(path); kind != "" {
			f.add(Warning{Kind: kind})
		}
		if !isOpaque(path) && !report.More {
			if ctx.Err() != nil {
				report.Unread = append(report.Unread, path)
				continue
			}
			f.search(ctx, open)
		}
		if report.More {
			break
		}
	}
	return report, ctx.Err()
}

// found collects the warnings of one file, each of its kinds once.
type found struct {
	path   string
	seen   []Warning
	report *Report
}

func (f *found) has(kind Kind, host string) bool {
	for _, one := range f.seen {
		if one.Kind == kind && one.Host == host {
			return true
		}
	}
	return false
}

func (f *found) add(one Warning) {
	switch {
	case f.has(one.Kind, one.Host):
	case len(f.report.Warnings) == MaxWarnings:
		f.report.More = true
	default:
		one.Path = f.path
		f.seen = append(f.seen, one)
		f.report.Warnings = append(f.report.Warnings, one)
	}
}

// search reads the file and searches its text.
func (f *found) search(ctx context.Context, open Source) {
	file, err := open(f.path)
	if err != nil {
		f.report.Unread = append(f.report.Unread, f.path)
		return
	}
	raw, err := io.ReadAll(io.LimitReader(filetree.Reader(ctx, file), MaxBytes+1))
	_ = file.Close()
	whole := len(raw) <= MaxBytes
	if !whole {
		raw = raw[:MaxBytes]
		f.report.Partial++
	}
	// A file that isn't text is searched as it is: pickles and databases have readable tokens in them.
	text, _, ok := plaintext.Decode(raw, whole)
	if !ok {
		text = raw
	}
	if isNotebook(f.path) {
		f.notebook(ctx, text)
	} else {
		f.text(ctx, text, 0)
	}
	if err != nil || ctx.Err() != nil {
		f.report.Unread = append(f.report.Unread, f.path)
	}
}

// colors are what terminals are told about colors, which would hide where a word begins.
var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// shortest is the length in bytes below which a cell isn't searched: a notebook may have millions of them.
const shortest = 12

// text searches a text: a file, or a cell of a notebook.
func (f *found) text(ctx context.Context, text []byte, cell int) {
	if bytes.IndexByte(text, '\x1b') >= 0 {
		text = colors.ReplaceAll(text, nil)
	}
	lower := lowerASCII(text)
	for _, one := range rules {
		if f.has(one.kind, one.host) {
			continue
		}
		in := text
		if one.anyCase {
			in = lower
		}
		for at := range each(ctx, in, one.word) {
			if !one.match(text, lower, at) {
				continue
			}
			place := Warning{Kind: one.kind, Host: one.host, Cell: cell}
			if !isNotebook(f.path) {
				place.Line = 1 + bytes.Count(text[:at], []byte("\n"))
			}
			f.add(place)
			break
		}
	}
}
