package versions

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkRestore(b *testing.B) {
	folder := b.TempDir()
	from := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		text := []byte{}
		for row := 0; len(text) < 100_000; row++ {
			text = fmt.Appendf(text, "%d,%d,%.4f,%.4f\n", row, from.IntN(384), from.Float64(), from.NormFloat64())
		}
		name := filepath.Join(folder, fmt.Sprintf("%d/%d", i/100, i))
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		_ = os.WriteFile(name, text, 0o644)
	}
	root, _ := os.OpenRoot(folder)
	store, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	saved, err := store.Save(b.Context(), Request{Line: "a", Roots: []Root{{Name: "work", Folder: root}}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100_000_000)
	b.ResetTimer()
	for range b.N {
		into := b.TempDir()
		to, _ := os.OpenRoot(into)
		if _, err := store.Restore(b.Context(), saved.Version.ID, "work", to, "work", RestoreOptions{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = os.RemoveAll(into)
		b.StartTimer()
	}
}
