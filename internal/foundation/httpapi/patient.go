package httpapi

import (
	"io"
	"net/http"
	"time"
)

// The limits for a client that reads a download slowly.
const (
	Patience     = time.Minute // without reading anything
	downloadRate = 16 << 10    // bytes per second, on average
)

// PatientWriter writes to a client for as long as it keeps reading. A client that pauses uses up patience, and regains
// it by reading.
type PatientWriter struct {
	io.Writer

	control  *http.ResponseController
	patience time.Duration // all that it may have
	left     time.Duration
}

// NewPatientWriter returns a writer for an answer. Call Done when everything is written.
func NewPatientWriter(w io.Writer, patience time.Duration) *PatientWriter {
	writer := &PatientWriter{Writer: w, patience: patience, left: patience}
	if answer, ok := w.(http.ResponseWriter); ok {
		writer.control = http.NewResponseController(answer)
	}
	return writer
}

// Write implements io.Writer.
func (w *PatientWriter) Write(data []byte) (int, error) {
	began := time.Now()
	w.deadline(began.Add(w.left))
	count, err := w.Writer.Write(data)
	earned := time.Duration(count) * time.Second / downloadRate
	w.left = max(0, min(w.patience, w.left+earned-time.Since(began)))
	return count, err
}

// Done ends the deadlines, so that the connection can be used again.
func (w *PatientWriter) Done() { w.deadline(time.Time{}) }

func (w *PatientWriter) deadline(at time.Time) {
	if w.control != nil {
		_ = w.control.SetWriteDeadline(at)
	}
}
