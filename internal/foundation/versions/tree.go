package versions

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// reference leads to a content of any length: at depth 0 the digest is that of the content, else of a list of references
// one level below.
type reference struct {
	depth  uint8
	digest digest
}

// node is an entry of a folder, as trees store it.
type node struct {
	name     string
	kind     Kind
	own      bool   // it belongs to the owner of the root
	account  uint32 // if it doesn't
	mode     uint32
	modified int64 // ns since 1970
	changed  int64 // likewise; of the inode
	inode    uint64
	size     int64 // of a folder: of its tree
	holes    int64
	content  reference
	target   string
	tree     *tree // of a folder that is in memory
}

// same reports whether nothing but times, inodes and what is in folders differs.
func (n *node) same(other *node) bool {
	return n.kind == other.kind && n.own == other.own && n.account == other.account && n.mode == other.mode && n.target == other.target &&
		(n.kind == Folder || n.size == other.size && n.content == other.content)
}

func (n *node) entry() Entry {
	entry := Entry{Name: n.name, Kind: n.kind, Mode: n.mode, Modified: time.Unix(0, n.modified).UTC(), Target: n.target}
	if n.kind == File {
		entry.Bytes, entry.Holes = n.size, n.holes
		sum := sha256.Sum256(append([]byte{n.content.depth}, n.content.digest[:]...))
		entry.Digest = hex.EncodeToString(sum[:])
	}
	return entry
}

// tree is a folder: its entries by name, and where they are stored.
type tree struct {
	nodes   []node
	content reference
	size    int64
}

func (t *tree) find(name string) *node {
	if t == nil {
		return nil
	}
	at, found := sort.Find(len(t.nodes), func(at int) int { return strings.Compare(name, t.nodes[at].name) })
	if !found {
		return nil
	}
	return &t.nodes[at]
}

func (t *tree) sort() {
	slices.SortFunc(t.nodes, func(a, b node) int { return cmp.Compare(a.name, b.name) })
}

const treeFormat = 1

// Flags of an entry.
const (
	ownFlag   = 1
	holesFlag = 2
)

func (t *tree) encode() []byte {
	text := make([]byte, 0, 1+96*len(t.nodes))
	text = append(text, treeFormat)
	for i := range t.nodes {
		n := &t.nodes[i]
		flags := byte(0)
		if n.own {
			flags |= ownFlag
		}
		if n.holes > 0 {
			flags |= holesFlag
		}
		text = append(text, byte(n.kind), flags)
		text = binary.AppendUvarint(text, uint64(len(n.name)))
		text = append(text, n.name...)
		text = binary.AppendUvarint(text, uint64(n.mode))
		if !n.own {
			text = binary.AppendUvarint(text, uint64(n.account))
		}
		text = binary.AppendVarint(text, n.modified)
		text = binary.AppendVarint(text, n.changed-n.modified)
		text = binary.AppendUvarint(text, n.inode)
		if n.kind == Link {
			text = binary.AppendUvarint(text, uint64(len(n.target)))
			text = append(text, n.target...)
			continue
		}
		text = binary.AppendUvarint(text, uint64(n.size))
		if n.holes > 0 {
			text = binary.AppendUvarint(text, uint64(n.holes))
		}
		text = append(text, n.content.depth)
		if n.size > 0 {
			text = append(text, n.content.digest[:]...)
		}
	}
	return text
}

// treeReader reads what encode wrote; the first error stays.
type treeReader struct {
	text   []byte
	failed bool
}

func (r *treeReader) bytes(count uint64) []byte {
	if r.failed || count > uint64(len(r.text)) {
		r.failed = true
		return nil
	}
	taken := r.text[:count]
	r.text = r.text[count:]
	return taken
}

func (r *treeReader) byte() byte {
	if taken := r.bytes(1); taken != nil {
		return taken[0]
	}
	return 0
}

func (r *treeReader) unsigned() uint64 {
	value, count := binary.Uvarint(r.text)
	r.bytes(uint64(max(count, 0)))
	r.failed = r.failed || count <= 0
	return value
}

func (r *treeReader) signed() int64 {
	value, count := binary.Varint(r.text)
	r.bytes(uint64(max(count, 0)))
	r.failed = r.failed || count <= 0
	return value
}

// length reads a size.
func (r *treeReader) length() int64 {
	value := int64(r.unsigned())
	r.failed = r.failed || value < 0
	return value
}

func decodeTree(text []byte) (*tree, error) {
	r := treeReader{text: text}
	t := &tree{}
	if r.byte() != treeFormat {
		r.failed = true
	}
	for !r.failed && len(r.text) > 0 {
		n := node{kind: Kind(r.byte())}
		flags := r.byte()
		n.own = flags&ownFlag != 0
		n.name = string(r.bytes(r.unsigned()))
		n.mode = uint32(r.unsigned() & 0o7777)
		if !n.own {
			n.account = uint32(r.unsigned())
		}
		n.modified = r.signed()
		n.changed = n.modified + r.signed()
		n.inode = r.unsigned()
		switch n.kind {
		case Link:
			n.target = string(r.bytes(r.unsigned()))
		case File, Folder:
			n.size = r.length()
			if flags&holesFlag != 0 {
				n.holes = r.length()
			}
			n.content.depth = r.byte()
			if n.size > 0 {
				copy(n.content.digest[:], r.bytes(sha256.Size))
			}
		default:
			r.failed = true
		}
		if !validName(n.name) || len(t.nodes) > 0 && n.name <= t.nodes[len(t.nodes)-1].name || n.content.depth > depthMost {
			r.failed = true
		}
		t.nodes = append(t.nodes, n)
	}
	if r.failed {
		return nil, fmt.Errorf("%w: a folder can't be read", ErrDamaged)
	}
	return t, nil
}

// validName reports whether a name can be one of a file.
func validName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
