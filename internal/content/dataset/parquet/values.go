package parquet

import (
	"fmt"

	"cairn/internal/content/dataset/bounded"
)

// level says where the next value of a leaf belongs.
type level struct {
	repetition, definition int
	ended                  bool // there is no next value
}

// values reads the values of a leaf in a group of rows, one at a time.
type values struct {
	file *File
	leaf *node
	from chunk

	left       int64 // in the chunk
	inPage     int64 // in the page
	held       int64 // bytes of memory for pages
	pageHeld   int64
	dictionary *dictionary

	repetitions, definitions runs
	decoder                  decoder
	peeked                   *level
}

func newValues(file *File, leaf *node, from chunk) *values {
	return &values{file: file, leaf: leaf, from: from, left: from.values}
}

// release gives back the memory for pages.
func (v *values) release() {
	v.file.work.held += v.held
	v.held, v.pageHeld, v.dictionary, v.decoder = 0, 0, nil, nil
}

// hold takes memory for a page.
func (v *values) hold(bytes int64) error {
	if bytes > v.file.work.held {
		return bounded.ErrLimit
	}
	v.file.work.held -= bytes
	v.held += bytes
	return nil
}

// peek returns where the next value belongs.
func (v *values) peek() (level, error) {
	if v.peeked != nil {
		return *v.peeked, nil
	}
	if v.left <= 0 {
		v.peeked = &level{ended: true}
		return *v.peeked, nil
	}
	for v.inPage == 0 {
		if err := v.page(); err != nil {
			return level{}, err
		}
	}
	if v.file.work.values--; v.file.work.values < 0 {
		return level{}, bounded.ErrLimit
	}
	v.inPage--
	v.left--
	one := level{definition: v.leaf.definition}
	var err error
	if v.leaf.repetition > 0 {
		if one.repetition, err = v.repetitions.next(); err != nil {
			return level{}, err
		}
	}
	if v.leaf.definition > 0 {
		if one.definition, err = v.definitions.next(); err != nil {
			return level{}, err
		}
	}
	v.peeked = &one
	return one, nil
}

// value is the text of a value.
type value struct {
	text   string
	isNull bool
	isWord bool // it needs quotes in JSON
}

// next reads the next value.
func (v *values) next() (value, error) {
	at, err := v.peek()
	if err != nil {
		return value{}, err
	}
	if at.ended {
		return value{}, errDamaged
	}
	v.peeked = nil
	if at.definition < v.leaf.definition {
		return value{isNull: true}, nil
	}
	one, err := v.decoder.next()
	if err != nil {
		return value{}, err
	}
	return v.leaf.shown(one), nil
}

// Encodings.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRuns            = 3
	encodingDelta           = 5
	encodingDeltaLengths    = 6
	encodingDeltaBytes      = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

// page reads the next page: data, or a dictionary for those behind it.
func (v *values) page() error {
	head, err := v.header()
	if err != nil {
		return err
	}
	v.file.work.held += v.pageHeld // that of the page before
	v.held -= v.pageHeld
	v.pageHeld = 0
	if head.kind == pageIndex {
		return nil
	}
	held := v.held
	content, err := v.unpack(head)
	if err != nil {
		return err
	}
	if head.kind == pageDictionary {
		v.dictionary, err = newDictionary(v, head, content)
		return err
	}
	v.pageHeld = v.held - held
	v.inPage = min(head.values, v.left)
	if head.kind == pageDataV2 {
		levels := content
		if head.repetitionBytes+head.definitionBytes > int64(len(levels)) {
			return errDamaged
		}
		v.repetitions = newRuns(levels[:head.repetitionBytes], widthOf(v.leaf.repetition))
		v.definitions = newRuns(levels[head.repetitionBytes:head.repetitionBytes+head.definitionBytes], widthOf(v.leaf.definition))
		content = levels[head.repetitionBytes+head.definitionBytes:]
	} else {
		if v.repetitions, content, err = levelsOf(content, v.leaf.repetition, head.values, head.repetitionEncoding); err != nil {
			return err
		}
		if v.definitions, content, err = levelsOf(content, v.leaf.definition, head.values, head.definitionEncoding); err != nil {
			return err
		}
	}
	v.decoder, err = v.decode(head.encoding, head.values, content)
	return err
}

// decode returns a decoder of a page's values.
func (v *values) decode(encoding, count int64, content []byte) (decoder, error) {
	physical := v.leaf.physical
	isInteger, isBytes := physical == typeInt32 || physical == typeInt64, physical == typeBytes || physical == typeFixed
	switch {
	case encoding == encodingPlain && physical == typeBoolean:
		return &truthBits{content: content}, nil
	case encoding == encodingPlain:
		return &plain{rest: content, width: v.leaf.width()}, nil
	case (encoding == encodingDictionary || encoding == encodingPlainDictionary) && v.dictionary != nil:
		if len(content) == 0 {
			return &indexed{v.dictionary, runs{}}, nil
		}
		if content[0] > 32 {
			return nil, errDamaged
		}
		return &indexed{v.dictionary, newRuns(content[1:], int(content[0]))}, nil
	case encoding == encodingRuns && physical == typeBoolean && len(content) >= 4:
		return &truths{newRuns(content[4:], 1)}, nil
	case encoding == encodingDelta && isInteger:
		return newDeltas(content, physical == typeInt32)
	case encoding == encodingDeltaLengths && physical == typeBytes:
		return newDeltaLengths(content, count)
	case encoding == encodingDeltaBytes && isBytes:
		return newDeltaBytes(v.file, content, count)
	case encoding == encodingSplit && physical != typeBoolean && physical != typeBytes:
		width := v.leaf.width()
		return &splitted{content: content, count: len(content) / width, one: make([]byte, width)}, nil
	}
	return nil, fmt.Errorf("%w: encoding %d of values of type %d", ErrUnknown, encoding, physical)
}

// width returns how many bytes a value has; 0 where each says so itself.
func (n *node) width() int {
	return [...]int{typeBoolean: 1, typeInt32: 4, typeInt64: 8, typeInt96: 12, typeFloat: 4, typeDouble: 8, typeBytes: 0, typeFixed: n.length}[n.physical]
}
