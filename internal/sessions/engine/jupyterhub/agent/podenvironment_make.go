package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/causes"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
)

// MakePodEnvironment is what the init container of a session's pod runs: it reads what it is asked for, a podJob, and writes lines of
// podNews. The code of packages runs in that container too, which has nothing else.
func MakePodEnvironment(ctx context.Context, asked io.Reader, said io.Writer) error {
	var job podJob
	if err := json.NewDecoder(asked).Decode(&job); err != nil {
		return fmt.Errorf("what is to be installed can't be read: %w", err)
	}
	syscall.Umask(0o022) // sessions read the environment
	var mu sync.Mutex
	var unsaid error
	tell := func(news podNews) {
		mu.Lock()
		defer mu.Unlock()
		unsaid = errors.Join(unsaid, json.NewEncoder(said).Encode(news))
	}
	left, err := environments.Unboxed{
		Folder: job.Folder, Index: job.Index,
		Tell: func(detail string) { tell(podNews{Detail: detail}) }, Log: func(line string) { tell(podNews{Log: line}) },
	}.Make(ctx, job.Lines)
	if err != nil {
		tell(failedNews(err))
		return unsaid
	}
	if left == nil {
		left = []engine.LeftOut{}
	}
	tell(podNews{Left: left})
	tell(podNews{Done: &struct{}{}})
	return unsaid
}

// failedNews says why an environment couldn't be made.
func failedNews(err error) podNews {
	_, told := errors.AsType[*fault.Fault](err)
	switch {
	case told:
		return podNews{Failed: fault.MessageOf(err), Code: causes.CodeOf(err)}
	case folders.IsFull(err):
		return podNews{Failed: folders.DiskFull, Code: diagnosis.DiskFull}
	}
	return podNews{Log: err.Error(), Failed: "The environment of this repository can't be stored on the hub. Tell the operators.", Code: diagnosis.ServerFault}
}
