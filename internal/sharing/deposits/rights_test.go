package deposits_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sharing/deposits"
)

func TestAnotherAuthor(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		w.connect(bob)
		id := w.addKept(waves, catalogtest.By(ada, bob))
		first := w.settle(id, w.begin(id).ID)
		if same, err := w.server.Begin(w.As(bob), id, w.name, 0); err != nil || same.ID != first.ID {
			w.T.Errorf("%+v %v", same, err)
		}
		if seen, err := w.server.Get(w.As(bob), id, first.ID); err != nil || seen.By != ada {
			w.T.Errorf("%+v %v", seen, err)
		}
		_, err := w.server.Publish(w.As(bob), id, first.ID)
		w.wantCode(err, fault.Forbidden)
		w.wantCode(w.server.Discard(w.As(bob), id, first.ID), fault.Forbidden)
		_, err = w.server.Publish(w.As(ada), id, first.ID)
		w.must(err)
		first = w.settle(id, first.ID)

		w.renew(id, 2, waves) // what Ada has published isn't Bob's to go on with
		second, err := w.server.Begin(w.As(bob), id, w.name, 0)
		w.must(err)
		if draft := w.settle(id, second.ID); draft.State != deposits.Draft || draft.By != bob {
			w.T.Fatalf("%+v", draft)
		}
		if said := fmt.Sprint(w.stand.Deposits()[1].Metadata); !strings.Contains(said, first.DOI) {
			w.T.Error(said)
		}
		w.must(w.Leave(w.As(bob), id))
		w.must(w.server.Discard(w.As(ada), id, second.ID)) // nobody else can reach it
		_, err = w.server.Get(w.As(ada), id, second.ID)
		w.wantCode(err, fault.NotFound)
	})
}

func TestSomebodyWhoIsNoAuthorAnyMorePublishesNothing(t *testing.T) {
	each(t, func(w *world) {
		w.connect(bob)
		id := w.addKept(waves, catalogtest.By(ada, bob))
		begun, err := w.server.Begin(w.As(bob), id, w.name, 0)
		w.must(err)
		w.settle(id, begun.ID)
		_, err = w.server.Publish(w.As(bob), id, begun.ID)
		w.must(err)
		w.must(w.Leave(w.As(bob), id))
		if failed := w.settle(id, begun.ID); failed.State != deposits.Failed || failed.Problem.Code != fault.NotAuthor || w.stand.Deposits()[0].Published {
			w.T.Errorf("%+v", failed)
		}
	})
}

func TestStrangersSeeAndDoNothing(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id, secret := w.addKept(waves), w.addKept(waves, catalogtest.Private)
		at := "/resources/" + id + "/deposits"
		draft := w.settle(id, w.begin(id).ID)
		body := fmt.Sprintf(`{"at": %q}`, w.name)
		for _, call := range []struct{ method, path, body string }{
			{"POST", at, body},
			{"GET", at, ""},
			{"GET", at + "/" + draft.ID, ""},
			{"DELETE", at + "/" + draft.ID, ""},
			{"POST", at + "/" + draft.ID + "/publish", ""},
			{"POST", at + "/" + draft.ID + "/retry", ""},
		} {
			w.Send("", call.method, call.path, call.body, http.StatusUnauthorized, nil)
			w.Send(eve, call.method, call.path, call.body, http.StatusForbidden, nil)
			w.Send(eve, call.method, strings.Replace(call.path, id, secret, 1), call.body, http.StatusNotFound, nil)
		}
		w.Send("", "GET", "/archives", "", http.StatusUnauthorized, nil)
		w.Send(ada, "GET", strings.Replace(at, id, secret, 1)+"/"+draft.ID, "", http.StatusNotFound, nil) // of another entry
		w.Send(ada, "GET", at+"/x", "", http.StatusNotFound, nil)
		w.SignIn = func(caller identity.Caller) identity.Caller { return caller }
		w.Send(ada, "GET", at, "", http.StatusForbidden, nil) // the account isn't enabled
	})
}

func TestTheCalls(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		at := "/resources/" + id + "/deposits"
		var list []deposits.Archive
		w.Ask(ada, "GET", "/archives", http.StatusOK, &list)
		if len(list) != 1 || list[0].Kind != w.stand.Archive().Kind || list[0].Label == "" || !list[0].Connected {
			w.T.Errorf("%+v", list)
		}
		var begun, done deposits.Deposit
		var all []deposits.Deposit
		w.Send(ada, "POST", at, fmt.Sprintf(`{"at": %q, "version": 1}`, w.name), http.StatusAccepted, &begun)
		w.Send(ada, "POST", at+"/"+begun.ID+"/publish", "", http.StatusConflict, nil)
		w.settle(id, begun.ID)
		w.Send(ada, "POST", at+"/"+begun.ID+"/retry", "", http.StatusConflict, nil)
		w.Send(ada, "DELETE", at+"/"+begun.ID, "", http.StatusNoContent, nil)
		w.Ask(ada, "GET", at, http.StatusOK, &all)
		if len(all) != 0 {
			w.T.Errorf("%+v", all)
		}
		w.Send(ada, "POST", at, fmt.Sprintf(`{"at": %q}`, w.name), http.StatusAccepted, &begun)
		w.settle(id, begun.ID)
		w.Send(ada, "POST", at+"/"+begun.ID+"/publish", "", http.StatusAccepted, nil)
		w.settle(id, begun.ID)
		w.Ask(ada, "GET", at+"/"+begun.ID, http.StatusOK, &done)
		if done.State != deposits.Published || done.DOI == "" {
			w.T.Errorf("%+v", done)
		}
	})
}
