package enginetest

import (
	"bytes"
	"io"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// sentVersion starts a session with a version as another engine sends it.
func sentVersion(b *bench, versioner engine.Versioner) {
	first := b.running()
	b.Put(first.ID, "folder \xff/new\nline.txt", "any bytes")
	version := b.write(first.ID, "mine.txt", "one")
	var sent bytes.Buffer
	if err := versioner.ExportWork(b.Context(), first.ID, version.ID, &sent); err != nil {
		b.Fatalf("ExportWork: %v", err)
	}
	b.wants(fault.NotFound, "ExportWork", versioner.ExportWork(b.Context(), first.ID, "0195a000-0000-7000-8000-000000000000", io.Discard))
	b.wants(fault.Conflict, "ImportWork into a session with work", versioner.ImportWork(b.Context(), first.ID, first.Owner, bytes.NewReader(sent.Bytes())))
	second := b.spec(first.Repository)
	if err := versioner.ImportWork(b.Context(), second.ID, second.Owner, bytes.NewReader(sent.Bytes()[:sent.Len()/2])); err == nil {
		b.Errorf("Half of the work is taken for all of it")
	}
	if _, err := b.engine.Status(b.Context(), second.ID); fault.KindOf(err) != fault.NotFound {
		b.Errorf("A session that was never started is known: %v", err)
	}
	b.reopen()
	versioner, _ = b.engine.(engine.Versioner)
	if err := versioner.ImportWork(b.Context(), second.ID, second.Owner, bytes.NewReader(sent.Bytes())); err != nil {
		b.Fatalf("ImportWork: %v", err)
	}
	b.reopen()
	versioner, _ = b.engine.(engine.Versioner)
	if err := versioner.ImportWork(b.Context(), second.ID, second.Owner, strings.NewReader("cut off")); err != nil {
		b.Errorf("What is there is sent again: %v", err)
	}
	b.start(second)
	b.await(second.ID, engine.Running)
	b.present(second.ID, map[string]string{"mine.txt": "one", "folder \xff/new\nline.txt": "any bytes"})
	b.write(second.ID, "mine.txt", "changed")
	b.present(first.ID, map[string]string{"mine.txt": "one"})
	never := b.spec(first.Repository)
	if err := versioner.ImportWork(b.Context(), never.ID, never.Owner, bytes.NewReader(sent.Bytes())); err != nil {
		b.Fatalf("ImportWork: %v", err)
	}
	if err := b.engine.Remove(b.Context(), never.ID); err != nil {
		b.Errorf("Remove of a session that was never started: %v", err)
	}
}
