package versions

// compare counts what differs between a folder and what it was before, and stores it if that is anything. Folders in it were
// compared before.
func (b *builder) compare(path string, now, before *tree) error {
	differs := before == nil
	var earlier []node
	if before != nil {
		earlier = before.nodes
	}
	at := 0
	for i := range now.nodes {
		n := &now.nodes[i]
		for at < len(earlier) && earlier[at].name < n.name {
			differs = true
			if err := b.gone(join(path, earlier[at].name), &earlier[at]); err != nil {
				return err
			}
			at++
		}
		var old *node
		if at < len(earlier) && earlier[at].name == n.name {
			old = &earlier[at]
			at++
		}
		switch {
		case old == nil:
			differs = true
			if n.kind != Folder {
				b.counts.Added++
				b.note(join(path, n.name))
			}
		case n.kind == Folder && old.kind == Folder:
			differs = differs || !n.same(old) || n.content != old.content
		case !n.same(old):
			differs = true
			if err := b.replaced(join(path, n.name), n, old); err != nil {
				return err
			}
		}
	}
	for ; at < len(earlier); at++ {
		differs = true
		if err := b.gone(join(path, earlier[at].name), &earlier[at]); err != nil {
			return err
		}
	}
	if !differs {
		now.content, now.size = before.content, before.size
		return nil
	}
	b.changed = true
	text := now.encode()
	var err error
	now.size = int64(len(text))
	now.content, err = b.chunker.storeBytes(text)
	return err
}

// replaced counts an entry that isn't what it was.
func (b *builder) replaced(path string, now, before *node) error {
	if before.kind == Folder {
		b.counts.Added++
		b.note(path)
		return b.gone(path, before)
	}
	if now.kind == Folder {
		return b.gone(path, before)
	}
	b.counts.Modified++
	b.note(path)
	return nil
}

// gone counts an entry that isn't there any more, with what was in it.
func (b *builder) gone(path string, n *node) error {
	if n.kind != Folder {
		b.counts.Deleted++
		b.note(path)
		return nil
	}
	before, err := b.before(n)
	if err != nil || before == nil {
		return err
	}
	for i := range before.nodes {
		if err := b.gone(join(path, before.nodes[i].name), &before.nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// note remembers that a path changed, for its history.
func (b *builder) note(path string) {
	if len(b.sums) > changedMost {
		b.many = true
		return
	}
	b.sums = append(b.sums, pathSum(path))
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}
