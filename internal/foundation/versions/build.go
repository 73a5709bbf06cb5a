package versions

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/filetree"
)

// leastFile is the minimum that a file counts in Usage: an empty one takes room in the tables of the file system.
const leastFile = 4 << 10

// builder makes the tree of a version, from folders and the tree of the version before.
type builder struct {
	store    *storeState
	chunker  *chunker
	request  Request
	previous *tree             // nil: there is none
	devices  map[string]uint64 // of its roots

	root    *Root
	stack   []building // the folders that the walk is in, the root first
	skipped int        // depth of the folder that is left out and the walk is in; 0: none
	device  uint64
	owner   uint32
	entries int
	linked  map[uint64]node // files with several names
	counts  RootCounts

	usage       map[string]Usage
	roots       []RootCounts
	seen        map[string]uint64
	changed     bool // the version differs from the one before
	sums        []uint32
	many        bool
	left        []LeftOut
	leftOut     map[string]bool
	moreLeftOut int
}

// building is a folder whose entries are being collected.
type building struct {
	path     string // with the root's name
	tree     *tree
	previous *tree
}

// build makes the tree of all roots.
func (b *builder) build() (*tree, error) {
	top := &tree{}
	b.seen = map[string]uint64{}
	for i := range b.request.Roots {
		b.root = &b.request.Roots[i]
		if b.root.Folder == nil {
			continue
		}
		built, err := b.buildRoot()
		if err != nil {
			return nil, err
		}
		top.nodes = append(top.nodes, built)
		b.roots = append(b.roots, b.counts)
	}
	top.sort()
	slices.SortFunc(b.roots, func(a, b RootCounts) int { return strings.Compare(a.Name, b.Name) })
	return top, b.compare("", top, b.previous)
}

func (b *builder) buildRoot() (node, error) {
	var stat unix.Stat_t
	folder, err := b.root.Folder.Open(".")
	if err == nil {
		err = errors.Join(unix.Fstat(int(folder.Fd()), &stat), folder.Close())
	}
	if err != nil {
		return node{}, err
	}
	b.device, b.owner = stat.Dev, stat.Uid
	b.seen[b.root.Name] = b.device
	b.counts, b.linked, b.skipped = RootCounts{Name: b.root.Name}, map[uint64]node{}, 0
	top := b.describe(b.root.Name, &stat)
	var previous *tree
	if before := b.previous.find(b.root.Name); before != nil {
		if previous, err = b.before(before); err != nil {
			return node{}, err
		}
	}
	b.stack = []building{{b.root.Name, &tree{}, previous}}
	usage := Usage{Bytes: max(stat.Blocks*512, leastFile), Changed: time.Unix(stat.Ctim.Unix())}
	err = filetree.Walk(b.chunker.ctx, b.root.Folder, ".", filetree.Limits{}, func(entry *filetree.Entry) error { return b.visit(entry, &usage) })
	if errors.Is(err, filetree.ErrTooMany) || errors.Is(err, filetree.ErrTooDeep) {
		usage.Err, err = err, nil
	}
	b.usage[b.root.Name] = usage
	for err == nil && len(b.stack) > 1 {
		err = b.leave()
	}
	if err != nil {
		return node{}, err
	}
	finished := b.stack[0]
	finished.tree.sort()
	top.tree = finished.tree
	if err := b.compare(b.root.Name, finished.tree, finished.previous); err != nil {
		return node{}, err
	}
	top.content, top.size = finished.tree.content, finished.tree.size
	return top, nil
}

// before returns the folder that a node of the version before stands for; nil if it is none, or can't be read.
func (b *builder) before(n *node) (*tree, error) {
	if n == nil || n.kind != Folder {
		return nil, nil
	}
	if n.tree == nil {
		found, err := b.store.tree(n.content, n.size)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
		return found, nil
	}
	return n.tree, nil
}

func (b *builder) describe(name string, stat *unix.Stat_t) node {
	n := node{
		name: name, mode: stat.Mode & 0o7777, own: stat.Uid == b.owner, modified: stat.Mtim.Nano(), changed: stat.Ctim.Nano(), inode: stat.Ino,
	}
	if !n.own {
		n.account = stat.Uid
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		n.kind = Folder
	case unix.S_IFREG:
		n.kind, n.size = File, stat.Size
	case unix.S_IFLNK:
		n.kind, n.mode = Link, 0
	}
	return n
}

// tell notes that a path is left out.
func (b *builder) tell(path string, why Reason) {
	switch {
	case b.leftOut[path]:
	case len(b.left) == leftOutMost:
		b.moreLeftOut++
	default:
		b.leftOut[path] = true
		b.left = append(b.left, LeftOut{path, why})
	}
}

// visit is called for each entry of a root.
func (b *builder) visit(entry *filetree.Entry, usage *Usage) error {
	if b.skipped > 0 && entry.Depth <= b.skipped {
		b.skipped = 0
	}
	why := Reason("")
	below := ""
	if b.skipped == 0 {
		for len(b.stack) > entry.Depth {
			if err := b.leave(); err != nil {
				return err
			}
		}
		if parent := b.stack[len(b.stack)-1].path; len(b.stack) == 1 {
			below = entry.Name
		} else {
			below = parent[len(b.root.Name)+1:] + "/" + entry.Name
		}
		if b.root.LeaveOut != nil {
			why = b.root.LeaveOut(below, entry.IsFolder())
		} else {
			why = LeaveOutCaches(below, entry.IsFolder())
		}
		if why == Elsewhere {
			return fs.SkipDir
		}
	}
	usage.Files++
	usage.Bytes += max(entry.Stat.Blocks*512, leastFile)
	if changed := time.Unix(entry.Stat.Ctim.Unix()); changed.After(usage.Changed) {
		usage.Changed = changed
	}
	if b.entries++; b.entries > b.request.Entries {
		b.tell("", TooMany)
		return filetree.ErrTooMany
	}
	if b.skipped > 0 {
		if entry.IsFolder() && entry.Depth == filetree.MaxDepth {
			usage.Err = filetree.ErrTooDeep
			return fs.SkipDir
		}
		return nil
	}
	path := b.root.Name + "/" + below
	if why == "" && entry.IsFolder() && entry.Depth == filetree.MaxDepth {
		usage.Err = filetree.ErrTooDeep
		b.tell(path, TooDeep)
		return fs.SkipDir
	}
	if why != "" {
		b.tell(path, why)
		if entry.IsFolder() {
			b.skipped = entry.Depth
		}
		return nil
	}
	return b.add(path, entry)
}

// add adds an entry to the folder that the walk is in.
func (b *builder) add(path string, entry *filetree.Entry) error {
	parent := &b.stack[len(b.stack)-1]
	before := parent.previous.find(entry.Name)
	n := b.describe(entry.Name, &entry.Stat)
	var err error
	keep := true
	switch n.kind {
	case Folder:
		var previous *tree
		if previous, err = b.before(before); err != nil {
			return err
		}
		parent.tree.nodes = append(parent.tree.nodes, n)
		b.stack = append(b.stack, building{path, &tree{}, previous})
		return nil
	case File:
		n, keep, err = b.file(path, entry, n, before)
	case Link:
		if before != nil && before.kind == Link && n.sameInode(before) {
			n.target = before.target
		} else if n.target, err = entry.Target(); err != nil {
			b.tell(path, Unreadable)
			keep, err = false, nil
		}
	default:
		b.tell(path, Special)
		keep = false
	}
	if err != nil || !keep {
		return err
	}
	if n.kind == File {
		b.counts.Files++
		b.counts.Bytes += n.size - n.holes
	}
	parent.tree.nodes = append(parent.tree.nodes, n)
	return nil
}

// sameInode reports whether nothing has been written since.
func (n *node) sameInode(before *node) bool {
	return n.inode == before.inode && n.changed == before.changed && n.modified == before.modified
}

// leave ends the folder that the walk is in.
func (b *builder) leave() error {
	last := len(b.stack) - 1
	finished := b.stack[last]
	b.stack = b.stack[:last]
	finished.tree.sort()
	if err := b.compare(finished.path, finished.tree, finished.previous); err != nil {
		return err
	}
	nodes := b.stack[last-1].tree.nodes
	parent := &nodes[len(nodes)-1] // the folder: whatever follows it came after it was left
	parent.tree, parent.content, parent.size = finished.tree, finished.tree.content, finished.tree.size
	return nil
}
