package app

import (
	"path/filepath"
	"runtime"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/runs"
)

func (p *program) newRuns(parts features) *runs.Service {
	c := p.config.Runs
	return runs.NewService(runs.NewStore(p.db), parts.sessions.Batch, parts.entries, runs.Options{
		Versions: parts.entries.Versions(), Every: config.Duration(c.Every), Share: c.MaxConcurrent(p.config.Sessions.TotalCapacity(), runtime.NumCPU()), Timeout: config.Duration(c.Timeout),
		Network: c.Network == "internet", PerDay: c.PerDay, Keep: config.Duration(c.Keep), Folder: filepath.Join(p.config.Data, installation.RunsFolder),
		PublicURL: p.publicURL, Product: p.product, Publisher: p.publisher, Descriptors: p.config.Descriptor.Names, Logger: p.logger, LookedAfter: p.taskDone(taskRuns),
	})
}
