package jupyterhub

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// lostLimit is how often a launch is restarted that the hub forgot, for example in its own restart.
const lostLimit = 2

// launch brings a session to Running or to Failed. After an error, call it again.
func (e *Engine) launch(ctx context.Context, s *session, r record) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	current := s.record.Task == taskLaunch && s.record.Launch == r.Launch
	s.abort = cancel
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.abort = nil
		s.mu.Unlock()
	}()
	if !current {
		return nil
	}
	if !r.Asked {
		if how, err := e.ask(ctx, s, r); how.failed != "" || how.full || err != nil {
			return e.failed(ctx, s, r, how, err)
		}
	}
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		now, err := e.follow(ctx, s, r)
		switch {
		case ctx.Err() != nil:
			return nil // there is a different task now
		case err != nil:
			e.options.Logger.Debug("the progress of a launch is asked for again", "session", s.id, "error", err)
		case now.ready != "" && (!strings.HasPrefix(now.ready, "/") || !strings.HasSuffix(now.ready, "/"+r.server()+"/")):
			return e.failed(ctx, s, r, outcome{failed: "The hub serves sessions at addresses that can't be passed on (" + now.ready + "). " +
				"Its operators have to leave subdomain_host unset."}, nil)
		case now.ready != "":
			return e.arrive(ctx, s, r, now.ready)
		case now.failed != "":
			return e.failed(ctx, s, r, now, nil)
		case now.lost:
			return e.lost(ctx, s, r)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// failed ends a launch permanently, or until the hub has room for it.
func (e *Engine) failed(ctx context.Context, s *session, r record, how outcome, err error) error {
	if err != nil {
		return err
	}
	err = s.carry(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == r.Launch
		switch {
		case same && how.full:
			now.refuse()
		case same:
			now.fail(how, e.options.Now())
		}
		return same
	})
	return err
}

// lost restarts a launch, or gives it up.
func (e *Engine) lost(ctx context.Context, s *session, r record) error {
	if r.Lost >= lostLimit {
		return e.failed(ctx, s, r, outcome{failed: "The hub stopped the session while it was starting."}, nil)
	}
	err := s.carry(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == r.Launch
		if same {
			now.Lost, now.Asked, now.Dirty = now.Lost+1, false, true
			now.Steps, now.ProgressedAt = waitingSteps(now.Spec), e.options.Now()
		}
		return same
	})
	return err
}

// ask requests a server from the hub. If the hub refuses, its response says how the launch ended.
func (e *Engine) ask(ctx context.Context, s *session, r record) (how outcome, err error) {
	if reason, err := e.ensureUser(ctx, r.Spec.Owner); reason != "" || err != nil {
		return outcome{failed: reason}, err
	}
	options, err := e.permit(r)
	if err != nil {
		return outcome{failed: fault.MessageOf(err)}, nil
	}
	still := false
	if err := s.carry(ctx, func(now *record) bool {
		still = now.Task == taskLaunch && now.Launch == r.Launch
		now.Asked = true
		return still
	}); err != nil || !still {
		return outcome{}, err
	}
	// Hubs since version 6 read options here; older ones keep the whole body as options, and the hook finds them.
	body := map[string]any{"user_options": options}
	// Once it is sent, it must not be canceled: a launch that begins after its stop would belong to nobody.
	status, err := e.hub.call(context.WithoutCancel(ctx), http.MethodPost, userPath(r.Spec.Owner, "servers", r.server()), body, nil)
	said := refusedBy(err)
	switch {
	case status == http.StatusCreated || status == http.StatusAccepted:
		return outcome{}, nil
	case said == nil:
		// It isn't known whether the request arrived; sending it again finds out.
	case said.status == http.StatusNotFound:
		e.forgetUser(r.Spec.Owner)
		err = fault.Wrap(err, fault.Unavailable, "The hub doesn't know the session's owner.")
	case strings.Contains(said.message, "is already running"), strings.Contains(said.message, "is pending"):
		err = s.carry(ctx, func(now *record) bool { now.Asked, now.Dirty = false, true; return true })
		return outcome{}, errors.Join(err, errAnew)
	case said.status == http.StatusTooManyRequests:
		return outcome{full: true}, nil
	case said.status == http.StatusBadRequest && r.Name == "":
		err = s.carry(ctx, func(now *record) bool { now.Asked, now.Name = false, engine.ServerName(s.id); return true })
		return outcome{}, errors.Join(err, errRenamed)
	default:
		return outcome{failed: "The hub refused the session: " + strings.TrimRight(said.message, ". ") + "."}, nil
	}
	return outcome{}, err
}

var (
	errAnew    = errors.New("the hub has an older server of the session, which is stopped first")
	errRenamed = errors.New("the hub refused a server that bears the session's id; it is asked for one with a shorter name")
)

// ensureUser creates the owner's user on the hub.
func (e *Engine) ensureUser(ctx context.Context, user string) (reason string, err error) {
	e.mu.Lock()
	known := e.users[user]
	e.mu.Unlock()
	if known {
		return "", nil
	}
	_, err = e.hub.call(ctx, http.MethodPost, userPath(user), nil, nil)
	switch said := refusedBy(err); {
	case err == nil || statusOf(err) == http.StatusConflict:
		e.mu.Lock()
		e.users[user] = true
		e.mu.Unlock()
		return "", nil
	case said != nil:
		return fmt.Sprintf("The hub doesn't accept a user named %s: %s.", user, strings.TrimRight(said.message, ". ")), nil //nolint:nilerr // it is the reason
	}
	return "", err
}

func (e *Engine) forgetUser(user string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.users, user)
}

// outcome says how a launch ended, if it did.
type outcome struct {
	ready, failed, log string
	code               diagnosis.Code // failed: the cause, if the hook told it
	missing            []string       // failed: ids of the missing datasets that caused it
	told               *told          // failed: the hook's last report on the steps; nil if there is none
	lost               bool
	full               bool // the hub has no room now
}

// event is one of the hub's progress events.
type event struct {
	Message string `json:"message"`
	Ready   bool   `json:"ready"`
	Failed  bool   `json:"failed"`
	URL     string `json:"url"`
	Cairn   *told  `json:"cairn"`
}

// follow reads the hub's progress events of a launch until it or the stream ends.
func (e *Engine) follow(ctx context.Context, s *session, r record) (outcome, error) {
	response, err := e.hub.open(ctx, http.MethodGet, userPath(r.Spec.Owner, "servers", r.server(), "progress"), nil)
	if status := statusOf(err); status == http.StatusBadRequest || status == http.StatusNotFound {
		return e.judge(ctx, r) // it isn't starting
	}
	if err != nil {
		return outcome{}, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isData := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		var news event
		if !isData || json.Unmarshal(data, &news) != nil {
			continue
		}
		switch {
		case news.Ready && news.URL != "":
			return outcome{ready: news.URL}, nil
		case news.Failed:
			judged, err := e.judge(ctx, r)
			if err == nil && judged.failed == "" {
				judged = outcome{failed: plainReason(news.Message), log: news.Message + "\n"}
			}
			return judged, err
		}
		if err := e.progress(ctx, s, r, news); err != nil {
			return outcome{}, err
		}
		if err := e.answer(ctx, r, news.Cairn); err != nil {
			return outcome{}, err // the next look at the progress asks again
		}
	}
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	return e.judge(ctx, r) // the stream broke: the hub, or a proxy in front of it, was restarted
}

// progress writes down what an event says about the launch. A hub without our hook reports its spawner's progress only,
// which is all
// of the way to the server.
func (e *Engine) progress(ctx context.Context, s *session, r record, news event) error {
	left := e.leftOut(news.Cairn)
	err := s.carry(ctx, func(now *record) bool {
		if now.Task != taskLaunch || now.Launch != r.Launch {
			return false
		}
		if news.Cairn != nil {
			changed := now.follow(news.Cairn, e.options.Now())
			if commit := news.Cairn.Commit; news.Cairn.Launch == r.Launch && fullCommit.MatchString(commit) && now.Commit != commit {
				now.Commit, changed = commit, true
			}
			if news.Cairn.Launch == r.Launch && len(left) > 0 && !slices.Equal(now.LeftOut, left) {
				now.LeftOut, changed = left, true
			}
			return changed
		}
		if news.Message == "" || strings.HasPrefix(news.Message, "Server requested") {
			return false
		}
		now.addLog(news.Message + "\n")
		return now.set(engine.StepServer, engine.Active, shortLine(news.Message), e.options.Now())
	})
	return err
}

// judge derives from the hub's model the state of a launch that doesn't report itself.
func (e *Engine) judge(ctx context.Context, r record) (outcome, error) {
	model, known, err := e.hub.server(ctx, r)
	switch said := model.State.Cairn; {
	case err != nil:
		return outcome{}, err
	case known && model.Ready:
		return outcome{ready: model.URL}, nil
	case known && model.pending() != "":
		return outcome{}, nil
	case known && said != nil && said.Launch == r.Launch && said.Reason != "":
		return outcome{failed: said.Reason, code: said.code(), log: said.Log, missing: said.Missing, told: said}, nil
	case known && said != nil && said.Launch == r.Launch && said.Exit != nil && *said.Exit != 0:
		return outcome{failed: exitReason(*said.Exit), log: said.Log, told: said}, nil
	}
	return outcome{lost: true}, nil
}

var fullCommit = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

func exitReason(code int) string { return fmt.Sprintf("Jupyter stopped with exit code %d.", code) }

var httpReason = regexp.MustCompile(`^HTTP [0-9]{3}: [^(]*\((.*)\)$`)

// plainReason removes the hub's words around a reason.
func plainReason(message string) string {
	message = strings.TrimSpace(strings.TrimPrefix(message, "Spawn failed:"))
	if found := httpReason.FindStringSubmatch(message); found != nil {
		message = found[1]
	}
	if message == "" || message == "Spawn failed" {
		return "The hub could not start the session's server."
	}
	return message
}

// arrive makes a session Running once its server answers through the hub's proxy with the session's token.
func (e *Engine) arrive(ctx context.Context, s *session, r record, path string) error {
	now := s.read()
	token, id := now.Token, now.TokenID
	if id == "" {
		var err error
		// Once requested, it must not be canceled: an unknown token would stay until the session ends.
		if token, id, err = e.hub.issue(context.WithoutCancel(ctx), r); err != nil {
			return err
		}
		// It is recorded before it is used, so that a crash leaves no token that nobody revokes.
		if err := s.carry(ctx, func(now *record) bool { now.Token, now.TokenID = token, id; return true }); err != nil {
			return errors.Join(err, e.hub.revoke(context.WithoutCancel(ctx), r.Spec.Owner, id)) // another server has a separate one
		}
	}
	probe := record{Spec: r.Spec, Server: path, Token: token}
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		status, err := e.probe(ctx, probe)
		if err == nil && status == http.StatusOK {
			break
		}
		if err == nil && status == http.StatusForbidden { // of an earlier launch, or revoked
			err = s.carry(ctx, func(now *record) bool { now.Token, now.TokenID = "", ""; return true })
			return errors.Join(err, fault.New(fault.Unavailable, "The session's server refused its token."))
		}
		select {
		case <-time.After(pause): // the proxy learns of a new server a moment later
		case <-ctx.Done():
			return nil
		}
		if model, known, err := e.hub.server(ctx, r); err == nil && (!known || (!model.Ready && model.pending() == "")) {
			return nil // it ended meanwhile: the next look finds out how
		}
	}
	seen, err := e.settleIn(ctx, s, probe)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // there is a different task now
	}
	if err != nil {
		// Its server must not outlive a launch that failed.
		if stopped := e.stopServer(ctx, r); stopped != nil {
			return stopped
		}
		return e.failed(ctx, s, r, outcome{failed: fault.MessageOf(err), code: diagnosis.CodeOf(err)}, nil)
	}
	err = s.carry(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == r.Launch
		if same {
			now.Opens, now.OpenNote, now.Interface, now.Commit = seen.opens, seen.note, seen.pages, cmp.Or(seen.commit, now.Commit)
			now.run(path, token, id, e.options.Now())
		}
		return same
	})
	return err
}
