package comparator

import (
	"crypto/sha256"
	"slices"
)

// MIME types that Jupyter's own pages have for outputs without one.
const (
	stdoutType = "application/vnd.jupyter.stdout"
	errorType  = "application/vnd.jupyter.error"
)

// cell compares one cell. Run and again are nil where a run has no such cell.
func (c *comparison) cell(author, run, again *cell) Cell {
	found := Cell{ID: author.id, Author: author.position, Run: -1}
	if run != nil {
		found.Run = run.position
	}
	switch {
	case author.skipped:
		found.Verdict, found.Notes = NothingToCompare, []Note{NoteSkipped}
		return found
	case run == nil:
		found.Verdict, found.Notes = NotRun, []Note{NoteSource}
		return found
	case !run.executed:
		found.Verdict = NotRun
		return found
	}
	if run.failure != nil && !author.raises && (author.failure == nil || author.failure.name != run.failure.name) {
		found.Failed = run.failure.name
	}
	if author.stderr.digest != run.stderr.digest && c.textsDiffer(author.stderr.content, run.stderr.content) {
		found.Notes = append(found.Notes, NoteStderr)
	}
	if !author.comparable() && (!author.executed || !c.author.stored || !run.comparable()) {
		found.Verdict = NothingToCompare
		return found
	}
	found.Verdict = Identical
	formatted := found.Failed == ""
	for _, one := range pairs(author, run) {
		difference := c.judge(one, author, run)
		if difference.Verdict == Different && again != nil && again.executed && c.varies(one, run, again) {
			difference.Verdict = Varies
		}
		found.Verdict = worst(found.Verdict, difference.Verdict)
		found.Largest = max(found.Largest, difference.Largest)
		if difference.Verdict == Different {
			formatted = formatted && slices.Contains(difference.Notes, NoteFormat)
		}
		if difference.Verdict != Identical {
			found.Differences = append(found.Differences, difference)
			continue
		}
		for _, note := range difference.Notes {
			if !slices.Contains(found.Notes, note) {
				found.Notes = append(found.Notes, note)
			}
		}
	}
	if found.Verdict == Different && formatted {
		found.Notes = append(found.Notes, NoteFormat)
	}
	return found
}

// textsDiffer reports whether two texts of a stream differ after normalizing.
func (c *comparison) textsDiffer(author, run content) bool {
	a, fine := c.textOf("text/plain", author)
	r, well := c.textOf("text/plain", run)
	if !fine || !well {
		return author.digest != run.digest
	}
	verdict, _, _ := compareTexts(a, r, noTime)
	return verdict != Identical
}

// pair is an output of the author's and the one of the run in its place; either may be missing.
type pair struct {
	mime        string
	author, run *content
	at, runAt   int // places among the outputs; -1 where missing
	position    int // of the run's among what is displayed, -1 for others
}

// pairs puts the outputs of two cells side by side.
func pairs(author, run *cell) []pair {
	var all []pair
	if one := streamPair(author.stdout, run.stdout); one.author != nil || one.run != nil {
		all = append(all, one)
	}
	all = append(all, displayed(author.shown, run.shown)...)
	if author.failure != nil || run.failure != nil {
		one := pair{mime: errorType, at: -1, runAt: -1, position: -1}
		if author.failure != nil {
			one.author, one.at = author.failure.summary(), author.failure.index
		}
		if run.failure != nil {
			one.run, one.runAt = run.failure.summary(), run.failure.index
		}
		all = append(all, one)
	}
	if author.rest.digest != run.rest.digest {
		all = append(all, pair{author: &author.rest, run: &run.rest, at: -1, runAt: -1, position: -1})
	}
	return all
}

// summary is what the last line of a traceback says.
func (f *failure) summary() *content {
	c := f.text
	c.text = f.name + ": " + c.text
	c.digest = sha256.Sum256([]byte(c.text))
	return &c
}

func streamPair(author, run stream) pair {
	one := pair{mime: stdoutType, at: author.index, runAt: run.index, position: -1}
	if !author.empty() {
		one.author = &author.content
	}
	if !run.empty() {
		one.run = &run.content
	}
	return one
}

// displayed pairs what two cells display, in order. When one has more, those in the middle of it that make the difference
// have no other side.
func displayed(author, run []*output) []pair {
	begin, end := 0, 0
	shorter := min(len(author), len(run))
	if len(author) != len(run) {
		for begin < shorter && interchangeable(author[begin], run[begin]) {
			begin++
		}
		for end < shorter-begin && interchangeable(author[len(author)-1-end], run[len(run)-1-end]) {
			end++
		}
	}
	middle := max(len(author), len(run)) - end
	var all []pair
	for i := range middle {
		one := pair{at: -1, runAt: -1, position: -1}
		var a, r *output
		if i < len(author)-end {
			a = author[i]
			one.at = a.index
		}
		if i < len(run)-end {
			r = run[i]
			one.runAt, one.position = r.index, i
		}
		one.choose(a, r)
		all = append(all, one)
	}
	for i := range end {
		a, r := author[len(author)-end+i], run[len(run)-end+i]
		one := pair{at: a.index, runAt: r.index, position: len(run) - end + i}
		one.choose(a, r)
		all = append(all, one)
	}
	return all
}

// choose takes the richest form that both outputs have. An output that lost its picture isn't compared by what is left.
func (p *pair) choose(a, r *output) {
	take := func(from *output, mime string) *content {
		form := from.forms[mime]
		return &form
	}
	switch {
	case a == nil:
		p.mime = r.best()
		p.run = take(r, p.mime)
	case r == nil:
		p.mime = a.best()
		p.author = take(a, p.mime)
	default:
		p.mime = richest(a, r)
		if p.mime == "" || a.pictured() && !r.pictured() {
			p.mime = a.best()
			p.author = take(a, p.mime)
			return
		}
		p.author, p.run = take(a, p.mime), take(r, p.mime)
	}
}

// interchangeable reports whether two outputs look like the same one, without decoding pictures.
func interchangeable(a, r *output) bool {
	mime := richest(a, r)
	if mime == "" || kindOf(mime) == picture {
		return mime != "" && a.forms[mime].digest == r.forms[mime].digest
	}
	return (&comparison{}).compare(mime, a.forms[mime], r.forms[mime], noTime).verdict != Different
}
