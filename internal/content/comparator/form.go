package comparator

import "time"

// noTime says that the time of a run isn't known.
var noTime time.Time

// judgement is the comparison of two contents.
type judgement struct {
	verdict         Verdict
	largest, pixels float64
	formatted       bool // it is DIFFERENT, but only in format
	notes           []Note
}

// compare compares two contents of one type.
func (c *comparison) compare(mime string, author, run content, ranAt time.Time) judgement {
	if author.digest == run.digest && author.bytes == run.bytes {
		return judgement{verdict: Identical}
	}
	if richness(mime) == 0 {
		return judgement{verdict: Identical, notes: []Note{NoteNormalized}}
	}
	if kindOf(mime) == picture {
		if !author.kept || !run.kept {
			return byDigest
		}
		return compareEncoded(author.text, run.text)
	}
	a, fine := c.textOf(mime, author)
	r, well := c.textOf(mime, run)
	if !fine || !well {
		return byDigest
	}
	return compareParts(a, r, ranAt)
}

// byDigest is the judgement of contents that are only known to differ.
var byDigest = judgement{verdict: Different, notes: []Note{NoteDigest}}

// compareParts compares texts with the pictures within them.
func compareParts(author, run text, ranAt time.Time) judgement {
	verdict, largest, normalized := compareTexts(author, run, ranAt)
	found := judgement{verdict: verdict, largest: largest, formatted: verdict == Different && sameValues(author, run, ranAt)}
	if normalized {
		found.notes = []Note{NoteNormalized}
	}
	if len(author.pictures) != len(run.pictures) {
		found.verdict, found.formatted = Different, false
		return found
	}
	for i := range author.pictures {
		if author.pictures[i] != run.pictures[i] {
			one := compareEncoded(author.pictures[i], run.pictures[i])
			if one.verdict == Different {
				found.formatted = one.formatted && (found.formatted || found.verdict != Different)
			}
			found.verdict, found.pixels = worst(found.verdict, one.verdict), max(found.pixels, one.pixels)
			found.notes = append(found.notes, one.notes...)
		}
	}
	return found
}

func compareEncoded(author, run string) judgement {
	likeness, ok := comparePictures(author, run)
	if !ok {
		return byDigest
	}
	found := judgement{verdict: Different, pixels: likeness.differing}
	switch {
	case likeness.same:
		found.verdict = Identical
	case likeness.alike:
		found.verdict = LooksTheSame
	}
	if likeness.resized {
		found.formatted, found.notes = likeness.scaled, []Note{NoteSize}
	}
	return found
}

// judge compares the two sides of a pair and says where they differ.
func (c *comparison) judge(one pair, author, run *cell) Difference {
	d := Difference{MIME: one.mime, Author: one.at, Run: one.runAt, Verdict: Different}
	switch {
	case one.run == nil:
		d.Notes = []Note{NoteMissing}
		d.Lines, d.Cut = c.only(Removed, one.mime, *one.author)
		return d
	case one.author == nil:
		d.Notes = []Note{NoteExtra}
		d.Lines, d.Cut = c.only(Added, one.mime, *one.run)
		return d
	case one.mime == errorType && author.failure.name != run.failure.name:
		d.Lines, d.Cut = c.difference(one)
		return d
	case one.mime == errorType:
		d.Verdict = Identical
		if c.textsDiffer(author.failure.text, run.failure.text) {
			d.Notes = []Note{NoteMessage}
		}
		return d
	}
	found := c.compare(textual(one.mime), *one.author, *one.run, run.ranAt)
	d.Verdict, d.Largest, d.Pixels, d.Notes = found.verdict, found.largest, found.pixels, found.notes
	if found.formatted {
		d.Notes = append(d.Notes, NoteFormat)
	}
	if d.Verdict != Identical {
		d.Lines, d.Cut = c.difference(one)
	}
	return d
}

// textual returns a type that textOf knows: streams and exceptions are plain text.
func textual(mime string) string {
	if mime == stdoutType || mime == errorType {
		return "text/plain"
	}
	return mime
}

func (c *comparison) difference(one pair) (lines []Line, cut bool) {
	if c.lines <= 0 || c.rows <= 0 {
		return nil, true
	}
	a, fine := c.textOf(textual(one.mime), *one.author)
	r, well := c.textOf(textual(one.mime), *one.run)
	if !fine || !well {
		return nil, false
	}
	lines, cut, rows := difference(a.lines, r.lines, c.lines)
	c.lines -= len(lines)
	c.rows -= rows
	return lines, cut
}

func (c *comparison) only(op Op, mime string, one content) (lines []Line, cut bool) {
	found, ok := c.textOf(textual(mime), one)
	if !ok {
		return nil, false
	}
	lines, cut = only(op, found.lines, c.lines)
	c.lines -= len(lines)
	return lines, cut
}

// varies reports whether an output that differs from the author's also differs between the two runs.
func (c *comparison) varies(one pair, run, again *cell) bool {
	second := counterpart(one, run, again)
	if one.run == nil || second == nil {
		return (one.run == nil) != (second == nil)
	}
	if one.mime == errorType {
		return run.failure.name != again.failure.name
	}
	if c.compare(textual(one.mime), *one.run, *second, noTime).verdict != Different {
		return false
	}
	if one.author == nil {
		return true
	}
	a, fine := c.textOf(textual(one.mime), *one.author)
	r, well := c.textOf(textual(one.mime), *one.run)
	g, good := c.textOf(textual(one.mime), *second)
	return !fine || !well || !good || variesAlike(a, r, g, run.ranAt)
}

// counterpart returns what the second run has in the place of an output of the first; nil for nothing.
func counterpart(one pair, run, again *cell) *content {
	switch {
	case one.mime == stdoutType:
		if !again.stdout.empty() {
			return &again.stdout.content
		}
	case one.mime == errorType:
		if again.failure != nil {
			return again.failure.summary()
		}
	case one.mime == "":
		return &again.rest
	case one.position < 0: // the run lacks one: so does the second, if it displays as many
		if len(again.shown) != len(run.shown) {
			return one.author
		}
	case one.position < len(again.shown):
		if form, ok := again.shown[one.position].forms[one.mime]; ok {
			return &form
		}
	}
	return nil
}
