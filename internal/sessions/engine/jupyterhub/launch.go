package jupyterhub

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// lostLimit is how often a launch is restarted that the hub forgot, for example in its own restart.
const lostLimit = 2

// run brings the session to Running or to Failed. After an error, call it again.
func (l launch) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.session.mu.Lock()
	current := l.session.record.Task == taskLaunch && l.session.record.Launch == l.record.Launch
	l.session.abort = cancel
	l.session.mu.Unlock()
	defer func() {
		l.session.mu.Lock()
		l.session.abort = nil
		l.session.mu.Unlock()
	}()
	switch {
	case !current:
		return nil
	case l.record.Spec.Repository.Private:
		return l.bringPrivate(ctx)
	}
	return l.bring(ctx)
}

// bring asks the hub for the server of a launch, unless it was asked before, and follows it to its end.
func (l launch) bring(ctx context.Context) error {
	if !l.record.Asked {
		if how, err := l.ask(ctx); how.failed != "" || how.full || err != nil {
			return l.failed(ctx, how, err)
		}
	}
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		now, err := l.follow(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // there is a different task now
		case err != nil:
			l.engine.options.Logger.Debug("the progress of a launch is asked for again", "session", l.session.id, "error", err)
		case now.ready != "" && (!strings.HasPrefix(now.ready, "/") || !strings.HasSuffix(now.ready, "/"+l.record.server()+"/")):
			return l.failed(ctx, outcome{failed: "The hub serves sessions at addresses that can't be passed on (" + now.ready + "). " +
				"Its operators have to leave subdomain_host unset."}, nil)
		case now.ready != "":
			return l.finish(ctx, now.ready)
		case now.failed != "":
			return l.failed(ctx, now, nil)
		case now.lost:
			return l.lost(ctx)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// failed ends a launch permanently, or until the hub has room for it.
func (l launch) failed(ctx context.Context, how outcome, err error) error {
	if err != nil {
		return err
	}
	err = l.session.updateRecord(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == l.record.Launch
		switch {
		case same && how.full:
			now.refuse()
		case same:
			now.fail(how, l.engine.options.Now())
		}
		return same
	})
	return err
}

// lost restarts a launch, or gives it up.
func (l launch) lost(ctx context.Context) error {
	if l.record.Lost >= lostLimit {
		return l.failed(ctx, outcome{failed: "The hub stopped the session while it was starting."}, nil)
	}
	err := l.session.updateRecord(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == l.record.Launch
		if same {
			now.Lost, now.Asked, now.Dirty = now.Lost+1, false, true
			now.Steps, now.ProgressedAt = waitingSteps(now.Spec), l.engine.options.Now()
		}
		return same
	})
	return err
}

// ask requests a server from the hub. If the hub refuses, its response says how the launch ended.
func (l launch) ask(ctx context.Context) (how outcome, err error) {
	if reason, err := l.engine.users.ensure(ctx, l.record.user()); reason != "" || err != nil {
		return outcome{failed: reason}, err
	}
	options, err := l.engine.signer.permit(l.record)
	if err != nil {
		return outcome{failed: fault.MessageOf(err)}, nil
	}
	still := false
	if err := l.session.updateRecord(ctx, func(now *record) bool {
		still = now.Task == taskLaunch && now.Launch == l.record.Launch
		now.Asked = true
		return still
	}); err != nil || !still {
		return outcome{}, err
	}
	// Hubs since version 6 read options here; older ones keep the whole body as options, and the hook finds them.
	body := map[string]any{"user_options": options}
	// Once it is sent, it must not be canceled: a launch that begins after its stop would belong to nobody.
	status, err := l.engine.hub.call(context.WithoutCancel(ctx), http.MethodPost, userPath(l.record.user(), "servers", l.record.server()), body, nil)
	said := refusedBy(err)
	switch {
	case status == http.StatusCreated || status == http.StatusAccepted:
		return outcome{}, nil
	case said == nil:
		// It isn't known whether the request arrived; sending it again finds out.
	case said.status == http.StatusNotFound:
		l.engine.users.forget(l.record.user())
		err = fault.Wrap(err, fault.Unavailable, "The hub doesn't know the session's owner.")
	case strings.Contains(said.message, "is already running"), strings.Contains(said.message, "is pending"):
		err = l.session.updateRecord(ctx, func(now *record) bool { now.Asked, now.Dirty = false, true; return true })
		return outcome{}, errors.Join(err, errAnew)
	case said.status == http.StatusTooManyRequests:
		return outcome{full: true}, nil
	case said.status == http.StatusBadRequest && l.record.Name == "":
		err = l.session.updateRecord(ctx, func(now *record) bool { now.Asked, now.Name = false, engine.ServerName(l.session.id); return true })
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

// follow reads the hub's progress events of a launch until it or the stream ends.
func (l launch) follow(ctx context.Context) (outcome, error) {
	response, err := l.engine.hub.open(ctx, http.MethodGet, userPath(l.record.user(), "servers", l.record.server(), "progress"), nil)
	if status := statusOf(err); status == http.StatusBadRequest || status == http.StatusNotFound {
		return l.outcomeFromHub(ctx) // it isn't starting
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
			found, err := l.outcomeFromHub(ctx)
			if err == nil && found.failed == "" {
				found = outcome{failed: plainReason(news.Message), log: news.Message + "\n"}
			}
			return found, err
		}
		if err := l.progress(ctx, news); err != nil {
			return outcome{}, err
		}
		if err := l.contradiction(news.Cairn); err != nil {
			return outcome{failed: fault.MessageOf(err), code: diagnosis.CodeOf(err)}, l.engine.driver.stopServer(ctx, l.record)
		}
		if err := l.answer(ctx, news.Cairn); err != nil {
			return outcome{}, err // the next look at the progress asks again
		}
	}
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	return l.outcomeFromHub(ctx) // the stream broke: the hub, or a proxy in front of it, was restarted
}

// progress writes down what an event says about the launch. A hub without our hook reports its spawner's progress only,
// which covers the whole launch.
func (l launch) progress(ctx context.Context, news event) error {
	left := l.leftOut(news.Cairn)
	err := l.session.updateRecord(ctx, func(now *record) bool {
		if now.Task != taskLaunch || now.Launch != l.record.Launch {
			return false
		}
		if news.Cairn != nil {
			changed := now.follow(news.Cairn, l.engine.options.Now())
			if commit := news.Cairn.Commit; news.Cairn.Launch == l.record.Launch && fullCommit.MatchString(commit) && now.Commit != commit {
				now.Commit, changed = commit, true
			}
			if news.Cairn.Launch == l.record.Launch && len(left) > 0 && !slices.Equal(now.LeftOut, left) {
				now.LeftOut, changed = left, true
			}
			return changed
		}
		if news.Message == "" || strings.HasPrefix(news.Message, "Server requested") {
			return false
		}
		now.addLog(news.Message + "\n")
		return now.set(engine.StepServer, engine.Active, shortLine(news.Message), l.engine.options.Now())
	})
	return err
}

// outcomeFromHub derives from the hub's model the state of a launch that doesn't report itself.
func (l launch) outcomeFromHub(ctx context.Context) (outcome, error) {
	model, known, err := l.engine.hub.server(ctx, l.record)
	switch said := model.State.Cairn; {
	case err != nil:
		return outcome{}, err
	case known && model.Ready:
		return outcome{ready: model.URL}, nil
	case known && model.pending() != "":
		return outcome{}, nil
	case known && said != nil && said.Launch == l.record.Launch && said.Reason != "":
		return outcome{failed: said.Reason, code: said.code(), log: said.Log, missing: said.Missing, told: said}, nil
	case known && said != nil && said.Launch == l.record.Launch && said.Exit != nil && *said.Exit != 0:
		return outcome{failed: exitReason(*said.Exit), log: said.Log, told: said}, nil
	}
	return outcome{lost: true}, nil
}

// finish makes a session Running once its server answers through the hub's proxy with the session's token.
func (l launch) finish(ctx context.Context, path string) error {
	now := l.session.read()
	token, id := now.Token, now.TokenID
	if id == "" {
		var err error
		// Once requested, it must not be canceled: an unknown token would stay until the session ends.
		if token, id, err = l.engine.hub.issue(context.WithoutCancel(ctx), l.record); err != nil {
			return err
		}
		// It is recorded before it is used, so that a crash leaves no token that nobody revokes.
		if err := l.session.updateRecord(ctx, func(now *record) bool { now.Token, now.TokenID = token, id; return true }); err != nil {
			return errors.Join(err, l.engine.hub.revoke(context.WithoutCancel(ctx), l.record.user(), id)) // another server has a separate one
		}
	}
	probe := record{Spec: l.record.Spec, Launch: l.record.Launch, Server: path, Token: token}
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		status, err := l.engine.hub.probe(ctx, probe)
		if err == nil && status == http.StatusOK {
			break
		}
		if err == nil && status == http.StatusForbidden { // of an earlier launch, or revoked
			err = l.session.updateRecord(ctx, func(now *record) bool { now.Token, now.TokenID = "", ""; return true })
			return errors.Join(err, fault.New(fault.Unavailable, "The session's server refused its token."))
		}
		select {
		case <-time.After(pause): // the proxy learns of a new server a moment later
		case <-ctx.Done():
			return nil
		}
		if model, known, err := l.engine.hub.server(ctx, l.record); err == nil && (!known || (!model.Ready && model.pending() == "")) {
			return nil // it ended meanwhile: the next look finds out how
		}
	}
	l.engine.kernels.see(ctx, l.engine.hub, probe)
	seen, err := l.resumeOpen(ctx, probe)
	if ctx.Err() != nil {
		return nil // there is a different task now
	}
	if err != nil {
		// Its server must not outlive a launch that failed.
		if stopped := l.engine.driver.stopServer(ctx, l.record); stopped != nil {
			return stopped
		}
		return l.failed(ctx, outcome{failed: fault.MessageOf(err), code: diagnosis.CodeOf(err)}, nil)
	}
	told, cancel := context.WithTimeout(ctx, l.engine.options.CallTime)
	defer cancel()
	if err := l.engine.agent.tellPhase(told, l.record); err != nil { // it's told again
		l.engine.options.Logger.Warn("the hub's agent isn't told that a session runs; trying again", "session", l.session.id, "error", err)
	}
	err = l.session.updateRecord(ctx, func(now *record) bool {
		same := now.Task == taskLaunch && now.Launch == l.record.Launch
		if same {
			now.Opens, now.OpenNote, now.Interface, now.Commit = seen.opens, seen.note, seen.pages, cmp.Or(seen.commit, now.Commit)
			now.run(path, token, id, l.engine.options.Now())
		}
		return same
	})
	return err
}
