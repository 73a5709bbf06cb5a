package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/engine/vscodeprogram"
	"cairn/internal/sessions/files/causes"
	"cairn/internal/sessions/files/checkout"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/opens"
)

// prepare makes the folders of a session ready for its server, and tells each step.
func (s *session) prepare(ctx context.Context, asked agentapi.Prepare, tell func(agentapi.Event)) (made agentapi.Prepared, err error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.beginLaunch(asked.Permit); err != nil {
		return made, err
	}
	s.agent.noteAll()
	if s.work.IsPending() {
		if err := s.Discard(); err != nil {
			return made, err
		}
	}
	p, done, err := s.newPreparation(asked, tell)
	defer done()
	if err != nil {
		return made, err
	}
	root, err := s.openFolders()
	if err != nil {
		return made, err
	}
	defer root.Close()
	if err := errors.Join(p.sweep(), folders.Remove(root, folders.Clone), folders.Remove(root, folders.Secluded), folders.Remove(root, folders.Source)); err != nil {
		return made, err
	}
	if err := s.work.RestoreHome(ctx, root); err != nil {
		return made, err
	}
	if err := p.fill(ctx, root, &made); err != nil {
		return made, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	made.Account, made.Commit = s.record.Account, s.record.Commit
	return made, s.save() // with what is pinned
}

// fill copies the repository and makes its environment, while the datasets are put in place.
func (p *preparation) fill(ctx context.Context, root *os.Root, made *agentapi.Prepared) error {
	permit, caches := p.asked.Permit, p.session.agent.caches
	// A repository with renv would fetch it from the internet when R starts, and hide the library with R's kernel.
	made.Environment = map[string]string{"RENV_CONFIG_AUTOLOADER_ENABLED": "FALSE"}
	wanted := permit.Wanted()
	repository := engine.Repository{URL: wanted.URL, Folder: wanted.Folder, Ref: wanted.Ref, Private: wanted.Private}
	steps, both := errgroup.WithContext(ctx)
	steps.Go(func() error {
		err := p.step(both, engine.StepRepository, func(tell func(string)) error {
			err := p.session.work.RestoreWork(both, root, tell)
			if err == nil {
				err = folders.MakeData(root, p.session.agent.options.Now())
			}
			if err == nil {
				err = caches.repositories.CheckOut(both, p, root, repository, p.receive, p.session.owner(), tell)
			}
			return err
		})
		if err != nil || repository.URL == "" {
			return err
		}
		if p.asked.Installs == agentapi.Here {
			return p.step(both, engine.StepEnvironment, func(tell func(string)) error { return p.install(both, root, made, tell) })
		}
		return p.list(root, made)
	})
	var mounts []agentapi.Mount
	steps.Go(func() error {
		return p.step(both, engine.StepDatasets, func(tell func(string)) error {
			found, err := caches.datasets.Place(both, p, root, p.session.agent.datasetsOf(permit.Datasets), tell)
			for _, mount := range found {
				mounts = append(mounts, agentapi.Mount{From: mount.From, To: mount.To})
			}
			return err
		})
	})
	err := steps.Wait()
	made.Mounts = append(made.Mounts, mounts...)
	if permit.Batch != nil {
		p.setBatch(made)
	} else {
		err = errors.Join(err, p.setFront(made))
	}
	return err
}

// frontInside is where a session has this program.
const frontInside = "/session/cairn"

// setFront says how a server of people is started: with this program before it.
func (p *preparation) setFront(made *agentapi.Prepared) error {
	permit, pods := p.asked.Permit, p.session.agent.pods
	stored, err := pods.store()
	if err != nil {
		return unsaved(err)
	}
	options := front.Options{VSCode: permit.VSCode, Gallery: permit.Gallery, SSH: permit.SSH}
	made.Mounts = append(made.Mounts, agentapi.Mount{From: stored, To: frontInside})
	// Where sessions are containers, their image has it.
	if program, err := vscodeprogram.Find(permit.VSCode); err == nil && p.session.agent.sandbox.Level().Mounts() {
		options.VSCode = program.Path
		made.Mounts = append(made.Mounts, agentapi.Mount{From: program.Folder, To: program.Folder})
	}
	made.Front = append([]string{frontInside}, options.Arguments()...)
	made.Arguments = jupyterprogram.OutputArguments("ServerApp", "NotebookApp")
	return nil
}

// setBatch says how a server is started in which a program runs notebooks.
func (p *preparation) setBatch(made *agentapi.Prepared) {
	made.Arguments = jupyterprogram.BatchArguments()
	for _, variable := range checkout.BatchEnvironment(p.date) {
		name, value, _ := strings.Cut(variable, "=")
		made.Environment[name] = value
	}
}

// step runs one step of the launch and tells its progress.
func (p *preparation) step(ctx context.Context, name engine.StepName, work func(tell func(string)) error) error {
	tell := func(state engine.StepState, detail string) {
		p.tell(agentapi.Event{Step: name, State: state, Detail: detail})
	}
	tell(engine.Active, "")
	last := ""
	err := work(func(detail string) { last = detail; tell(engine.Active, detail) })
	switch {
	case err == nil:
		tell(engine.Done, last)
	case context.Cause(ctx) == nil:
		tell(engine.Broken, last)
	}
	return err
}

// datasetsOf returns datasets where they are on this machine.
func (a *Agent) datasetsOf(asked []agentapi.Dataset) []engine.Dataset {
	var list []engine.Dataset
	for _, one := range asked {
		dataset := engine.Dataset{ID: one.ID, Name: one.Name, Folder: one.Folder, Unavailable: one.Unavailable, Key: one.Key}
		switch {
		case one.Unavailable != "" && (one.Key == "" || engine.ValidFolder(one.Folder)):
		case !engine.ValidFolder(one.Folder):
			dataset.Key, dataset.Unavailable = "", fmt.Sprintf("The dataset %q has no usable folder.", one.Name)
		case one.Path != "":
			if dataset.Path = a.datasetPath(one.Path); dataset.Path == "" {
				dataset.Unavailable = fmt.Sprintf("The dataset %q isn't available: it isn't on this hub.", one.Name)
			}
		case a.options.DatasetBytes == 0:
			dataset.Unavailable = fmt.Sprintf("The dataset %q isn't available: this hub doesn't fetch datasets from the web.", one.Name)
		default:
			dataset.URL, dataset.Files = one.URL, one.Files
		}
		list = append(list, dataset)
	}
	return list
}

// datasetPath returns where a path below the root of the datasets is, whatever links lie on the way; "" if it isn't below it.
func (a *Agent) datasetPath(name string) string {
	if a.options.DataRoot == "" {
		return ""
	}
	root, err := filepath.EvalSymlinks(a.options.DataRoot)
	if err != nil {
		return ""
	}
	found, err := filepath.EvalSymlinks(filepath.Join(root, name))
	if err != nil || !strings.HasPrefix(found, root+"/") {
		return ""
	}
	return found
}

// install makes the environment that the repository asks for, and the kernel that runs in it.
func (p *preparation) install(ctx context.Context, root *os.Root, made *agentapi.Prepared, tell func(string)) error {
	installer := p.session.agent.caches.environments
	found, err := installer.Make(ctx, p, root, p.asked.Permit.Wanted().Folder, p.asked.Permit.Descriptors, p.session.owner(), tell)
	if err != nil {
		return err
	}
	made.LeftOut = found.LeftOut
	made.Environment["JUPYTER_PATH"] = jupyterInside
	if found.RKey != "" {
		made.Environment["R_LIBS"] = installer.RLibrary(found.RKey)
	}
	if err := p.writeKernel(root, found.Key); err != nil {
		return err
	}
	made.Mounts = append(made.Mounts,
		agentapi.Mount{From: installer.Folder(), To: "/session/environments"}, agentapi.Mount{From: filepath.Join(root.Name(), jupyterFolder), To: jupyterInside})
	return nil
}

const (
	jupyterFolder = "jupyter" // in the session's folder: what Jupyter searches first
	jupyterInside = "/session/jupyter"
)

// writeKernel makes the Python of an environment the kernel of notebooks.
func (p *preparation) writeKernel(root *os.Root, key string) error {
	content, _, err := p.session.agent.caches.environments.KernelSpec(key)
	if err != nil {
		return err
	}
	folder := filepath.Join(jupyterFolder, "kernels", "python3")
	if err := folders.Share(root, folder); err != nil {
		return err
	}
	if err := folders.WriteFile(filepath.Join(root.Name(), folder, "kernel.json"), content); err != nil {
		return err
	}
	return root.Chmod(filepath.Join(folder, "kernel.json"), 0o644)
}

// list says which packages are installed elsewhere, and which aren't.
func (p *preparation) list(root *os.Root, made *agentapi.Prepared) error {
	repository, err := root.OpenRoot(filepath.Join(folders.Work, p.asked.Permit.Wanted().Folder))
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Something else is in place of the repository's folder in the session. Move it elsewhere.")
	}
	defer repository.Close()
	wanted, err := requirements.Read(requirements.FromFolder(repository), p.asked.Permit.Descriptors)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The files in which the repository declares what it needs can't be read.")
	}
	if p.asked.Installs == agentapi.InPod {
		for _, one := range wanted.Packages {
			made.Packages = append(made.Packages, one.Line)
		}
		made.LeftOut = slices.Concat(wanted.LeftOut(), wanted.LeaveR("Packages of R aren't installed on this hub: notebooks in R have those of its sessions."))
		return wanted.Contradiction()
	}
	const why = "Sessions on this hub have the operators' packages; nothing else is installed."
	for _, one := range wanted.Packages {
		made.LeftOut = append(made.LeftOut, engine.LeftOut{What: one.String(), Why: why})
	}
	made.LeftOut = engine.ShortLeftOut(slices.Concat(made.LeftOut, wanted.LeftOut(), wanted.LeaveR(why)))
	return nil
}

// open puts a notebook into the work and says which file opens.
func (s *session) open(asked agentapi.Open) (found agentapi.Opens, err error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return found, fault.Wrap(err, fault.Unavailable, "The session's folder can't be read on the hub.")
	}
	defer root.Close()
	if len(asked.Content) > 0 {
		if err := root.WriteFile(opens.NotebookName, asked.Content, 0o600); err != nil {
			return found, unsaved(err)
		}
	}
	spec := engine.Spec{
		Repository: engine.Repository{URL: asked.Repository.URL, Folder: asked.Repository.Folder, Ref: asked.Repository.Ref}, Open: asked.File,
		Notebook: engine.Notebook{Name: asked.Notebook},
	}
	if asked.Notebook != "" && !engine.ValidNotebook(asked.Notebook) {
		return found, fault.New(fault.Malformed, "The notebook's name can't be used.")
	}
	found.File, found.Note, err = opens.Choose(root, spec, asked.Descriptors, s.owner())
	if err != nil {
		return found, fault.Wrap(err, fault.Unavailable, "The notebook couldn't be put into the session. The session's disk may be full.")
	}
	return found, nil
}

// beginLaunch records that the files will change from now on.
func (s *session) beginLaunch(asked agentapi.Permit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.removing {
		return fault.New(fault.Conflict, "The session is being deleted.")
	}
	if from := asked.From; from != nil && s.record.Phase == "" {
		s.work.Request(*from)
	}
	s.work.BeginLaunch()
	s.record.Phase, s.record.Launch = engine.Starting, asked.Launch
	if s.record.Owner == "" {
		s.record.Owner = asked.WorkOwner()
	}
	s.work.BeginRun(s.record.Owner)
	if err := s.save(); err != nil {
		return unsaved(err)
	}
	return nil
}

// failure says why a launch can't go on.
func (a *Agent) failure(err error) agentapi.Failure {
	found := agentapi.Failure{Code: causes.CodeOf(err), Missing: causes.Missing(err)}
	_, told := errors.AsType[*fault.Fault](err)
	switch {
	case folders.IsFull(err):
		found.Reason = "The hub's disk is full. Tell the operators."
	case folders.IsReadOnly(err), errors.Is(err, fs.ErrPermission) && !told:
		found.Reason, found.Code = "The hub can't write where it keeps sessions: that disk is read-only, or closed to it. Tell the operators.", diagnosis.ServerFault
	case told:
		found.Reason = fault.MessageOf(err)
	case errors.Is(err, context.Canceled):
		found.Reason, found.Code = "The launch was canceled.", ""
	default:
		a.options.Logger.Error("a session can't be prepared", "error", err)
		found.Reason, found.Code = "The hub couldn't prepare the session. The operators can find the reason in the log of its agent.", diagnosis.ServerFault
	}
	return found
}
