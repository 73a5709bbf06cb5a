package fake_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

func spec() engine.Spec {
	return engine.Spec{
		ID: uuid.NewString(), Owner: "ann@example.org",
		Repository: engine.Repository{URL: "https://example.org/ann/notes", Folder: "notes"},
	}
}

func TestTheTestAdvancesLaunches(t *testing.T) {
	store := fake.NewStore(nil, nil, nil)
	opened, session := fake.New(store), spec()
	if err := opened.Start(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	store.Progress(session.ID, engine.StepRepository, engine.Active, "Receiving objects: 45 %")
	status, err := opened.Status(t.Context(), session.ID)
	if err != nil || status.Phase != engine.Starting || status.Steps[0].Detail != "Receiving objects: 45 %" {
		t.Fatalf("%+v %v", status, err)
	}
	store.Fail(session.ID, engine.StepServer, "Jupyter did not answer.")
	status, err = opened.Status(t.Context(), session.ID)
	if err != nil || status.Phase != engine.Failed || status.Steps[2].State != engine.Broken {
		t.Fatalf("%+v %v", status, err)
	}
	if err := opened.Start(t.Context(), session); err != nil || store.Launches(session.ID) != 2 {
		t.Errorf("%d launches, %v", store.Launches(session.ID), err)
	}
}

func TestHeldStopsAreConfirmedLater(t *testing.T) {
	store := fake.NewStore(nil, nil, nil)
	opened, session := fake.New(store), spec()
	if err := opened.Start(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	store.Ready(session.ID)
	store.HoldStops(true)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := opened.Stop(over, session.ID); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Stop: %v", err)
	}
	if status, _ := opened.Status(t.Context(), session.ID); status.Phase != engine.Running {
		t.Errorf("The session is %s", status.Phase)
	}
	store.HoldStops(false)
	if status, _ := opened.Status(t.Context(), session.ID); status.Phase != engine.Ended {
		t.Errorf("The session is %s", status.Phase)
	}
}

func TestMissingToolsRefuseStarts(t *testing.T) {
	store := fake.NewStore(nil, nil, nil)
	opened, missing := fake.New(store), fault.New(fault.Unavailable, "Jupyter is not installed.")
	store.Miss(missing)
	if err := opened.Check(t.Context()); !errors.Is(err, missing) {
		t.Errorf("Check: %v", err)
	}
	if err := opened.Start(t.Context(), spec()); !errors.Is(err, missing) {
		t.Errorf("Start: %v", err)
	}
	if all, err := opened.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("List: %v %v", all, err)
	}
}

func TestRepositoriesMove(t *testing.T) {
	store := fake.NewStore(nil, nil, nil)
	opened, session := fake.New(store), spec()
	store.Push(session.Repository.URL, "", "one")
	if err := opened.Start(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	store.Ready(session.ID)
	store.Push(session.Repository.URL, "", "two")
	store.Install(session.ID, engine.Installed{Digest: "x"})
	status, _ := opened.Status(t.Context(), session.ID)
	head, err := opened.Head(t.Context(), session.Repository)
	if found, _ := opened.Environment(t.Context(), session.ID, engine.Python.Language); status.Commit != "one" || head != "two" || err != nil || found.Digest != "x" {
		t.Errorf("It is at %q, the head at %q (%v), in %+v", status.Commit, head, err, found)
	}
	session.Repository.Ref = "v1"
	if other, err := opened.Head(t.Context(), session.Repository); other == head || err != nil {
		t.Errorf("The tag is at %q %v", other, err)
	}
}

func TestServersSpeakWebsocket(t *testing.T) {
	store := fake.NewStore(nil, func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			connection, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			defer func() { _ = connection.CloseNow() }()
			kind, message, err := connection.Read(r.Context())
			if err == nil {
				_ = connection.Write(r.Context(), kind, append([]byte("echo "), message...))
			}
		})
	}, nil)
	opened, session := fake.New(store), spec()
	if err := opened.Start(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	store.Ready(session.ID)
	target, err := opened.Target(t.Context(), session.ID)
	if err != nil {
		t.Fatal(err)
	}
	connection, _, err := websocket.Dial(t.Context(), target.URL.String()+"/x", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: target.Transport},
		HTTPHeader: http.Header{"Authorization": {target.Authorization}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.CloseNow() }()
	if err := connection.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, answer, err := connection.Read(t.Context()); err != nil || string(answer) != "echo hello" {
		t.Errorf("%q %v", answer, err)
	}
}

func TestServersShowWhatTheTestSays(t *testing.T) {
	store := fake.NewStore(nil, nil, nil)
	opened, session := fake.New(store), spec()
	if err := opened.Start(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	store.Ready(session.ID)
	target, err := opened.Target(t.Context(), session.ID)
	if err != nil {
		t.Fatal(err)
	}
	server := jupyterkernel.NewServer(target.URL.JoinPath("/s/"+session.ID+"/"), target.Authorization, target.Transport)
	have := ""
	for _, path := range []string{"a.ipynb", "b.ipynb"} {
		store.SetLook(session.ID, broker.Look{Notebook: &broker.LookedAt{Path: path}})
		var look broker.Look
		if err := server.Call(t.Context(), http.MethodGet, broker.LookPath+"?have="+have, nil, &look); err != nil || look.Notebook == nil || look.Notebook.Path != path {
			t.Errorf("it shows %+v (%v)", look, err)
		}
		have = look.Revision
		if err := server.Call(t.Context(), http.MethodGet, broker.LookPath+"?have="+have, nil, nil); jupyterkernel.StatusOf(err) != http.StatusNotModified {
			t.Errorf("again: %v", err)
		}
	}
}
