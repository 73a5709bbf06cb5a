package localjupyter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
)

// environmentTime is how long an installation may take that tells of progress all along.
const environmentTime = 30 * time.Minute

var errSlowPackages = fault.New(fault.Unavailable, "The packages could not be installed within %s.", humanDuration(environmentTime))

// The environment of a session is a virtual environment over the packages of the system. It is made once for the same
// packages, by an account of its own without sight of any session, and then belongs to nobody who could change it.
const (
	venvName  = "venv"
	wheelsBox = "/session/wheels"
	// $0 is Python, $1 the folder.
	installScript = `umask 022; mkdir -p "$1/tmp" && "$0" -m venv --system-site-packages --without-pip "$1/` + venvName + `" && ` +
		`exec "$1/` + venvName + `/bin/python" -m pip install --no-input --disable-pip-version-check --no-cache-dir --progress-bar off ` +
		`-r "$1/` + requirementsName + `"`
)

// makeEnvironment installs what the repository asks for, or finds it installed, and makes it the session's kernel.
func (s *session) makeEnvironment(ctx context.Context, root *os.Root, tell func(string)) error {
	s.mu.Lock()
	folder := path.Join(workName, s.record.Spec.Repository.Folder)
	s.mu.Unlock()
	repository, err := root.OpenRoot(folder)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The repository's folder in the session is no folder any more. Move away what took its place.")
	}
	defer repository.Close()
	wanted, err := readPackages(repository, s.engine.options.Descriptors)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The list of packages cannot be read: %s.", err)
	}
	detail := wanted.notSupported()
	if detail != "" {
		s.appendLog(detail)
	}
	if len(wanted.wanted) == 0 {
		tell(detail)
		return s.registerKernel("")
	}
	if why := s.engine.cannotInstall(); why != "" {
		s.appendLog(why)
		tell(shorten(why+" "+detail, 190))
		return s.registerKernel("")
	}
	key, err := s.install(ctx, wanted.lines(), tell)
	if err != nil {
		return err
	}
	if detail == "" {
		detail = "Packages installed: " + strconv.Itoa(len(wanted.wanted))
	}
	tell(detail)
	return s.registerKernel(key)
}

// cannotInstall says why nothing can be installed on this server at all.
func (e *Engine) cannotInstall() string {
	if _, err := e.pythonVersion(); err != nil {
		return "Packages are not installed, because this server has no pip. Its operators have to run: apt-get install python3-pip"
	}
	if e.options.Pip.FindLinks == "" && !e.asksIndex() {
		return "Packages are not installed: sessions have no network on this server, and its operators keep no folder of wheels."
	}
	return ""
}

// asksIndex reports whether pip may ask an index; the operator's own, or the public one where sessions have the internet.
func (e *Engine) asksIndex() bool {
	pip := e.options.Pip
	return e.options.Web != nil && (pip.IndexURL != "" || (pip.FindLinks == "" && e.options.Network == sandbox.Internet))
}

// install returns the key of an environment with these packages.
func (s *session) install(ctx context.Context, lines []string, tell func(string)) (string, error) {
	python, err := s.engine.pythonVersion()
	if err != nil {
		return "", err
	}
	cache := s.engine.caches[environmentsCache]
	pip := s.engine.options.Pip
	key := keyOf(append([]string{python, pip.IndexURL, pip.FindLinks, cache.folder}, lines...)...)
	tell, hear := cache.share(key, tell)
	unlock, err := cache.lock(ctx, key, hear)
	if err != nil {
		return "", err
	}
	defer unlock()
	s.use(key)
	if cache.has(key) {
		return key, cache.used(key)
	}
	helper, err := s.helper()
	if err != nil {
		return "", err
	}
	root, err := cache.fresh(key, helper)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.WriteFile(requirementsName, []byte(requirementsFile(lines)), 0o644); err != nil {
		return "", err
	}
	if err := s.runPip(ctx, s.installBox(key, helper), cache.path(key), tell); err != nil {
		return "", err
	}
	if err := errors.Join(removeTree(root, "tmp"), ownTree(root, ".", 0)); err != nil {
		return "", err
	}
	s.mu.Lock()
	s.record.Helper = 0
	s.mu.Unlock()
	return key, cache.keep(key)
}

// helper notes an account for what packages run when they are installed, so that it can be ended.
func (s *session) helper() (int, error) {
	if !s.engine.sandbox.Level().OwnAccount() {
		return 0, nil
	}
	account, err := s.engine.pickAccount()
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Helper = account
	return account, s.save()
}

func (s *session) installBox(key string, account int) sandbox.Box {
	folder, pip := s.engine.caches[environmentsCache].path(key), s.engine.options.Pip
	inside := s.engine.inside(folder, path.Join("environments", key)) // where it will be found by the session, too
	mounts := []sandbox.Mount{{From: folder, To: inside, Writable: true}}
	environment := []string{"HOME=" + inside, "TMPDIR=" + path.Join(inside, "tmp"), "PIP_CONFIG_FILE=" + os.DevNull, "PYTHONUNBUFFERED=1", "PIP_RETRIES=2"}
	if pip.FindLinks != "" {
		mounts = append(mounts, sandbox.Mount{From: pip.FindLinks, To: wheelsBox})
		environment = append(environment, "PIP_FIND_LINKS="+s.engine.inside(pip.FindLinks, path.Base(wheelsBox)))
	}
	if !s.engine.asksIndex() {
		environment = append(environment, "PIP_NO_INDEX=1")
	} else if address, err := url.Parse(pip.IndexURL); err == nil && pip.IndexURL != "" {
		environment = append(environment, "PIP_INDEX_URL="+pip.IndexURL)
		if address.Scheme == "http" {
			environment = append(environment, "PIP_TRUSTED_HOST="+address.Host)
		}
	}
	network := sandbox.None
	if s.engine.asksIndex() {
		network = sandbox.All
	}
	return sandbox.Box{
		Account: account, Network: network, Mounts: mounts, Folder: inside, Environment: environment,
		Command: []string{s.engine.sandbox.Shell(), "-c", installScript, s.engine.options.Python, inside},
	}
}

// runPip runs the installation and tells how it goes: pip's own words, and what was fetched meanwhile.
func (s *session) runPip(ctx context.Context, box sandbox.Box, folder string, tell func(string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, environmentTime, errSlowPackages)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var received func() int64
	if box.Network == sandbox.All {
		proxy, err := sandbox.OpenProxy(s.engine.dialIndex(), s.engine.options.Logger)
		if err != nil {
			return err
		}
		defer proxy.Close()
		box.Environment, received = slices.Concat(box.Environment, proxy.Environment()), proxy.Received
	}
	said := &pipOutput{tell: tell, log: s.appendLog}
	var watching sync.WaitGroup
	defer watching.Wait()
	done := make(chan struct{})
	defer close(done)
	watching.Go(func() { said.watch(done, received, func() { s.tooMuch(folder, giveUp) }) })
	err := s.run(ctx, box, said.read)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s", said.reason())
	}
	return nil
}

// tooMuch ends an installation that takes more than a session may.
func (s *session) tooMuch(folder string, giveUp context.CancelCauseFunc) {
	most := s.engine.options.Limits.Disk
	if used, _ := diskUse(folder); used > most {
		giveUp(fault.New(fault.Unavailable, "The packages of this repository take more than the %s that the files of a session may.", size(most)))
	}
}

// dialIndex lets pip reach the operator's index wherever it is.
func (e *Engine) dialIndex() sandbox.Dial {
	index, err := url.Parse(e.options.Pip.IndexURL)
	if err != nil || e.options.Pip.IndexURL == "" {
		return e.options.Web.Dial
	}
	port := index.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[index.Scheme]
	}
	own := net.JoinHostPort(index.Hostname(), port)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == own {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return e.options.Web.Dial(ctx, network, address)
	}
}

// kernelScript lets the kernel and what it starts be killed before Jupyter when the memory is used up.
const kernelScript = `echo 500 >/proc/self/oom_score_adj; exec "$@"`

// registerKernel makes the environment's Python, or that of the system, the kernel that notebooks get, by a folder that
// Jupyter looks into first.
func (s *session) registerKernel(key string) error {
	python, name, environment := s.engine.options.Python, "Python 3", map[string]string{}
	if key != "" {
		venv := path.Join(s.engine.inside(s.engine.caches[environmentsCache].path(key), path.Join("environments", key)), venvName)
		python, name = path.Join(venv, "bin/python"), "Python 3 (packages of the repository)"
		environment["PATH"], environment["VIRTUAL_ENV"] = path.Join(venv, "bin")+":/usr/bin:/bin", venv
	}
	content, err := json.Marshal(map[string]any{
		"argv": []string{
			s.engine.sandbox.Shell(), "-c", kernelScript, "kernel", python, "-m", "ipykernel_launcher", "-f", "{connection_file}",
		},
		"display_name": name, "language": "python", "metadata": map[string]bool{"debugger": true}, "env": environment,
	})
	if err != nil {
		return err
	}
	runtime, err := os.OpenRoot(s.runtime) // which the session may have changed meanwhile
	if err != nil {
		return err
	}
	defer runtime.Close()
	file, err := runtime.OpenFile(kernelName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Chmod(0o644), file.Close())
}

// pythonVersion is asked once.
func (e *Engine) pythonVersion() (string, error) {
	e.python.once.Do(func() {
		output, err := exec.Command(e.options.Python, "-I", "-c", "import pip, sys, venv; print(pip.__version__, sys.version, sys.executable)").Output()
		e.python.version, e.python.err = string(output), err
	})
	return e.python.version, e.python.err
}

// pipOutput is what pip says.
type pipOutput struct {
	tell, log func(string)

	mu   sync.Mutex
	now  string // what it is at
	last string // its last error
	full bool
}

// pipSteps begin the lines that tell what pip is at; it repeats the last one while a build goes on.
var pipSteps = []string{"Collecting ", "Downloading ", "Processing ", "Building wheel", "Installing ", "Preparing ", "Getting ", "still running"}

func (p *pipOutput) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	running := 0
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "?"))
		if line == "" {
			continue
		}
		p.log(line)
		p.mu.Lock()
		if reason, found := strings.CutPrefix(line, "ERROR: "); found {
			p.last = reason
		}
		p.full = p.full || strings.Contains(line, "No space left on device")
		for _, step := range pipSteps {
			if !strings.HasPrefix(line, step) {
				continue
			}
			if step == "still running" {
				running++
				p.tell(p.now + strings.Repeat(".", running%4))
			} else {
				p.now = shorten(line, 120)
				p.tell(p.now)
			}
		}
		p.mu.Unlock()
	}
	return lines.Err()
}

// watch tells of every further megabyte that was fetched, and has the disk looked at.
func (p *pipOutput) watch(done <-chan struct{}, received func() int64, look func()) {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	told := int64(0)
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		look()
		if received == nil {
			continue
		}
		if now := received() >> 20; now > told {
			told = now
			p.mu.Lock()
			p.tell(p.now + ", " + size(now<<20) + " fetched")
			p.mu.Unlock()
		}
	}
}

func (p *pipOutput) reason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.full:
		return diskFull
	case p.last == "":
		return "The packages of this repository could not be installed. The log tells more."
	default:
		return "The packages of this repository could not be installed: " + strings.TrimRight(shorten(p.last, 300), ".") + "."
	}
}
