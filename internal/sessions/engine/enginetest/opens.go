package enginetest

import (
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// opens checks which file a session opens, and that it is known in lists, after a stop and after kill -9.
func opens(b *bench) {
	readme := b.Working.Folder + "/README.md"
	spec := b.running()
	if status := b.status(spec.ID); status.Opens != readme || status.OpenNote != "" {
		b.Errorf("It opens %q with the note %q, want %q", status.Opens, status.OpenNote, readme)
	}
	wanted := b.spec(b.Working)
	wanted.Open = "no such file.ipynb"
	b.start(wanted)
	noted := b.await(wanted.ID, engine.Running)
	if noted.Opens != readme || noted.OpenNote == "" {
		b.Errorf("Without the wanted file it opens %q with the note %q", noted.Opens, noted.OpenNote)
	}
	b.reopen()
	all, err := b.engine.List(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, status := range all {
		if status.Opens != readme || (status.OpenNote != "") != (status.ID == wanted.ID) {
			b.Errorf("After kill -9 it opens %q with the note %q", status.Opens, status.OpenNote)
		}
	}
	b.stop(wanted.ID)
	if status := b.status(wanted.ID); status.Opens != readme || status.OpenNote != noted.OpenNote {
		b.Errorf("After the stop it opens %q with the note %q", status.Opens, status.OpenNote)
	}
}

// notebook checks that a session without a repository gets its notebook once: it is its user's own after that.
func notebook(b *bench) {
	spec := b.spec(engine.Repository{})
	spec.Notebook = engine.Notebook{Name: "\u0645\u0631\u062d\u0628\u0627 #1.ipynb", Content: []byte("{}")}
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); status.Opens != spec.Notebook.Name || status.OpenNote != "" {
		b.Errorf("It opens %q with the note %q", status.Opens, status.OpenNote)
	}
	b.stop(spec.ID)
	b.Put(spec.ID, spec.Notebook.Name, "changed")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if files := b.archive(spec.ID); files[spec.Notebook.Name] != "changed" {
		b.Errorf("The work is %v", files)
	}
}

func datasetAlone(b *bench) {
	spec := b.spec(engine.Repository{})
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); status.Opens != "" || status.OpenNote != "" {
		b.Errorf("It opens %q with the note %q", status.Opens, status.OpenNote)
	}
	if code := b.get(spec.ID, true); code != 200 {
		b.Errorf("The server answers %d", code)
	}
}

// usage checks that a Meter answers for running sessions, and for no others.
func usage(b *bench) {
	meter, ok := b.engine.(engine.Meter)
	if !ok {
		return
	}
	spec := b.running()
	used, err := meter.Usage(b.Context(), spec.ID)
	if err != nil || used.MemoryBytes < 0 || used.DiskBytes < 0 || used.PeakMemoryBytes != 0 && used.PeakMemoryBytes < used.MemoryBytes {
		b.Errorf("Usage: %+v %v", used, err)
	}
	b.stop(spec.ID)
	_, err = meter.Usage(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Usage after the stop", err)
}
