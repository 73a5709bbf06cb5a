package client

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestAJobIsStartedWithValuesOfTheirTypesAndFollowed(t *testing.T) {
	var sent map[string]any
	states := []string{`"QUEUED"`, `"RUNNING"`, `"DONE"`}
	server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		var answer string
		switch {
		case strings.HasSuffix(r.URL.Path, "/parameters"):
			answer = `{"parameters":[{"name":"rate","type":"number"},{"name":"code","type":"string"}]}`
		case r.Method == http.MethodPost:
			_ = json.NewDecoder(r.Body).Decode(&sent)
			answer = `{"id":"j","state":"QUEUED"}`
		default:
			answer = `{"id":"j","state":` + states[0] + `}`
			states = states[min(1, len(states)-1):]
		}
		_, _ = w.Write([]byte(answer))
	})
	job, err := server.StartJob(t.Context(), JobRequest{Entry: "e", File: "a.ipynb", Values: []string{"rate=2", "code=007", "other=x=y"}, Deadline: "2h"})
	if err != nil {
		t.Fatal(err)
	}
	values, _ := sent["parameters"].(map[string]any)
	if sent["resourceId"] != "e" || sent["file"] != "a.ipynb" || sent["deadline"] != "2h" || values["rate"] != 2.0 || values["code"] != "007" || values["other"] != "x=y" {
		t.Errorf("it asks for %v", sent)
	}
	told := 0
	if err := server.FollowJob(t.Context(), job, func(Job) { told++ }); err != nil || told != 3 {
		t.Errorf("it tells %d states, %v", told, err)
	}
	if _, err := server.StartJob(t.Context(), JobRequest{Entry: "e", Values: []string{"rate"}}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without a value: %v", err)
	}
}

func TestAJobThatFailsIsAnError(t *testing.T) {
	server := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"id":"j","state":"FAILED","reason":"Cell 2 of 3 failed: ValueError."}`))
	})
	err := server.FollowJob(t.Context(), Job{ID: "j", State: "RUNNING"}, func(Job) {})
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "ValueError") {
		t.Errorf("it ends with %v", err)
	}
}
