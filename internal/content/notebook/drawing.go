package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
)

// Limits of a drawing (SVG). It is shown only as an image, where browsers run no script and load nothing; what remains
// is to keep it from expanding without end when it is drawn.
const (
	drawingBytes = 4_000_000
	drawingDepth = 256
	drawingUses  = 200_000 // shapes created by <use>, in total
)

// drawingOf checks an SVG and returns it as a data: address.
func drawingOf(content []byte) (string, error) {
	if len(content) > drawingBytes {
		return "", fault.New(fault.TooLarge, "is a drawing larger than %s.", humanize.Bytes(drawingBytes))
	}
	if err := checkDrawing(content); err != nil {
		return "", err
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(content), nil
}

func checkDrawing(content []byte) error {
	uses := uses{of: map[string][]string{}, counted: map[string]int{}}
	var open []string // the ids of the enclosing elements, some empty
	decoder := xml.NewDecoder(bytes.NewReader(content))
	decoder.Strict = false // HTML's entities and such pass: browsers decide about them
	decoder.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("not in UTF-8") }
	elements := 0
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "is a damaged drawing.")
		}
		switch token := token.(type) {
		case xml.Directive:
			if bytes.ContainsRune(token, '[') {
				return fault.New(fault.Invalid, "is a drawing that defines entities, which are not resolved.")
			}
		case xml.StartElement:
			elements++
			if elements == 1 && token.Name.Local != "svg" {
				return fault.New(fault.Invalid, "isn't a drawing.")
			}
			open = append(open, attributeOf(token, "id"))
			if len(open) > drawingDepth {
				return fault.New(fault.Invalid, "is a drawing whose parts are nested too deeply.")
			}
			if target, ok := strings.CutPrefix(attributeOf(token, "href"), "#"); ok {
				uses.add(open, target)
			}
		case xml.EndElement:
			open = open[:max(len(open)-1, 0)]
		}
	}
	switch {
	case elements == 0:
		return fault.New(fault.Invalid, "isn't a drawing.")
	case uses.total() > drawingUses:
		return fault.New(fault.Invalid, "is a drawing that repeats itself endlessly.")
	}
	return nil
}

func attributeOf(element xml.StartElement, name string) string {
	for _, attribute := range element.Attr {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}

// uses counts how many shapes elements draw by referring to others.
type uses struct {
	all     []string            // all references
	of      map[string][]string // references inside of an element, by its id
	counted map[string]int      // -1 while it is counted: then it refers to itself
}

func (u *uses) add(around []string, target string) {
	u.all = append(u.all, target)
	for _, id := range around {
		if id != "" {
			u.of[id] = append(u.of[id], target)
		}
	}
}

func (u *uses) total() int {
	sum := 0
	for _, target := range u.all {
		sum = min(sum+1+u.count(target, 0), drawingUses+1)
	}
	return sum
}

func (u *uses) count(id string, depth int) int {
	known, ok := u.counted[id]
	switch {
	case known < 0, depth > drawingDepth:
		return drawingUses + 1
	case ok:
		return known
	}
	u.counted[id] = -1
	sum := 0
	for _, target := range u.of[id] {
		sum = min(sum+1+u.count(target, depth+1), drawingUses+1)
	}
	u.counted[id] = sum
	return sum
}
