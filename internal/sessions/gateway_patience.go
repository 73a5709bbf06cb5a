package sessions

import (
	"io"
	"net/http"
	"time"
)

// The limits for a client that reads a download of work slowly.
const (
	archivePatience = time.Minute // without reading anything
	archiveRate     = 16 << 10    // bytes per second, on average
)

// patientWriter writes to a client for as long as it keeps reading. A client that pauses uses up patience, and regains
// it by reading.
type patientWriter struct {
	io.Writer

	control  *http.ResponseController
	patience time.Duration // all that it may have
	left     time.Duration
}

// newPatientWriter returns a writer for an answer. Call done when everything is written.
func newPatientWriter(w io.Writer, patience time.Duration) *patientWriter {
	writer := &patientWriter{Writer: w, patience: patience, left: patience}
	if answer, ok := w.(http.ResponseWriter); ok {
		writer.control = http.NewResponseController(answer)
	}
	return writer
}

// Write implements io.Writer.
func (w *patientWriter) Write(data []byte) (int, error) {
	began := time.Now()
	w.deadline(began.Add(w.left))
	count, err := w.Writer.Write(data)
	earned := time.Duration(count) * time.Second / archiveRate
	w.left = max(0, min(w.patience, w.left+earned-time.Since(began)))
	return count, err
}

func (w *patientWriter) done() { w.deadline(time.Time{}) }

func (w *patientWriter) deadline(at time.Time) {
	if w.control != nil {
		_ = w.control.SetWriteDeadline(at)
	}
}
