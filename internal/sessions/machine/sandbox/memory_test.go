package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryOfBothVersionsOfControlGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  Memory
	}{
		"version 2": {map[string]string{
			"memory.current": "5000\n", "memory.stat": "anon 3000\ninactive_file 1500\n",
			"memory.events": "low 0\noom 7\noom_kill 2\noom_group_kill 0\n", "memory.peak": "8000\n",
		}, Memory{Used: 3500, Peak: 8000, Kills: 2}},
		"without tables": {map[string]string{"memory.current": "5000\n"}, Memory{Used: 5000}},
		"version 1": {map[string]string{
			"memory.usage_in_bytes": "5000\n", "memory.stat": "inactive_file 1\ntotal_inactive_file 1500\n",
			"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "memory.max_usage_in_bytes": "9000\n",
		}, Memory{Used: 3500, Peak: 9000, Kills: 3}},
		"another controller": {map[string]string{"pids.max": "60\n"}, Memory{}},
	} {
		folder := t.TempDir()
		for file, content := range test.files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := MemoryOf([]string{t.TempDir(), folder}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}
