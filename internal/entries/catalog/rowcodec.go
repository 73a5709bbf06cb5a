package catalog

import "encoding/binary"

// texts are the texts of a last run in the order in which rows store them.
func (l *LastRun) texts() []*string {
	return []*string{&l.ID, &l.File, (*string)(&l.Verdict), &l.Commit, (*string)(&l.Needs), &l.Reason}
}

func (c *LastRunCells) counts() []*int {
	return []*int{&c.Total, &c.Ran, &c.Compared, &c.Differs, &c.Format}
}

// rowWriter is a row, or a part of one.
type rowWriter []byte

func (w *rowWriter) unsigned(value uint64) { *w = binary.AppendUvarint(*w, value) }

func (w *rowWriter) signed(value int64) { *w = binary.AppendVarint(*w, value) }

func (w *rowWriter) count(count int) { w.unsigned(uint64(count)) }

func (w *rowWriter) flag(set bool) {
	if set {
		w.unsigned(1)
	} else {
		w.unsigned(0)
	}
}

func (w *rowWriter) text(text string) {
	w.count(len(text))
	*w = append(*w, text...)
}

// rowReader reads what rowWriter wrote.
type rowReader struct {
	rest    string
	damaged bool
}

func (in *rowReader) unsigned() uint64 {
	var value uint64
	for i := 0; i < len(in.rest) && i < binary.MaxVarintLen64; i++ {
		value |= uint64(in.rest[i]&0x7f) << (7 * i)
		if in.rest[i] < 0x80 {
			in.rest = in.rest[i+1:]
			return value
		}
	}
	in.damaged = true
	return 0
}

func (in *rowReader) signed() int64 {
	value := in.unsigned()
	return int64(value>>1) ^ -int64(value&1) // as in binary.Varint
}

// count reads a number of bytes, or of texts, each of which has a byte at least.
func (in *rowReader) count() int {
	value := in.unsigned()
	if value > uint64(len(in.rest)) {
		in.damaged = true
		return 0
	}
	return int(value)
}

func (in *rowReader) flag() bool { return in.unsigned() != 0 }

func (in *rowReader) text() string {
	length := in.count()
	text := in.rest[:length]
	in.rest = in.rest[length:]
	return text
}
