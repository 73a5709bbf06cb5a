package workshops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type keyInput struct {
	Key string `path:"key" maxLength:"40"`
}

func joinRoutes(api *httpapi.API, s *Service) {
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "show-workshop", Method: http.MethodGet, Path: "/join/{key}", Tags: tags, Summary: "What everybody with the address of a workshop may know",
		Description: "It changes nothing, so whatever looks at links may look at it.",
	}, func(ctx context.Context, input *keyInput) (*struct {
		CacheControl string `header:"Cache-Control"`
		Body         Invitation
	}, error,
	) {
		found, err := s.Invitation(ctx, input.Key)
		return &struct {
			CacheControl string `header:"Cache-Control"`
			Body         Invitation
		}{"no-store", found}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "join-workshop", Method: http.MethodPost, Path: "/join/{key}", Tags: tags, DefaultStatus: http.StatusCreated, Summary: "Take a seat, or come back to it",
		Description: "With a name and the code of the workshop, or with a seat and its code. Whoever has signed in joins with their account. Right codes never " +
			"wait; after five wrong ones in a minute, further wrong ones of an address do (429).",
	}, func(ctx context.Context, input *struct {
		Key  string `path:"key" maxLength:"40"`
		Body Joining
	},
	) (*struct {
		CacheControl string `header:"Cache-Control"`
		Body         Joined
	}, error,
	) {
		made, err := s.Join(ctx, input.Key, input.Body)
		return &struct {
			CacheControl string `header:"Cache-Control"`
			Body         Joined
		}{"no-store", made}, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "link-workshop-work", Method: http.MethodPost, Path: "/join/{key}/work", Tags: tags, DefaultStatus: http.StatusOK, Summary: "An address that downloads the work of a seat once",
		Description: "For 14 days after the end; then 410 work_gone.",
	}, func(ctx context.Context, input *struct {
		Key  string `path:"key" maxLength:"40"`
		Body *struct {
			Seat     int    `json:"seat,omitempty"`
			SeatCode string `json:"seatCode,omitempty" maxLength:"200"`
		}
	},
	) (*linkOutput, error) {
		seat, code := 0, ""
		if input.Body != nil {
			seat, code = input.Body.Seat, input.Body.SeatCode
		}
		address, err := s.WorkLink(ctx, input.Key, seat, code)
		output := &linkOutput{CacheControl: "no-store"}
		output.Body.URL = address
		return output, err
	})
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "fetch-workshop-work", Method: http.MethodGet, Path: "/join/{key}/work.zip", Tags: tags, DefaultStatus: http.StatusFound, Summary: "The work of the caller's seat",
		Description: "Leads to an address that works once. Guests send the token that they got when they joined, or their seat and its code in headers.",
	}, func(ctx context.Context, input *struct {
		Key      string `path:"key" maxLength:"40"`
		Seat     int    `header:"Seat"`
		SeatCode string `header:"Seat-Code" maxLength:"200"`
	},
	) (*struct {
		CacheControl string `header:"Cache-Control"`
		Location     string `header:"Location"`
	}, error,
	) {
		address, err := s.WorkLink(ctx, input.Key, input.Seat, input.SeatCode)
		return &struct {
			CacheControl string `header:"Cache-Control"`
			Location     string `header:"Location"`
		}{"no-store", address}, err
	})
}

type linkOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		URL string `json:"url"`
	}
}

func boardRoutes(api *httpapi.API, s *Service) {
	schema := httpapi.Schema[Board](api)
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-board", Method: http.MethodGet, Path: "/workshops/{id}/board", Tags: tags, Summary: "All seats, for hosts",
		Description: "Which cell was executed and the class of an error, never code, outputs or files. With Accept: text/event-stream, server-sent events: board (a Board) whenever " +
			"it changes, and ended when the workshop has (`{}`), or when the caller may no longer see it (`{code, text}`).",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schema}, "text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}, func(ctx context.Context, input *boardInput) (*huma.StreamResponse, error) {
		return handleBoard(ctx, s, input)
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-workshop-report", Method: http.MethodGet, Path: "/workshops/{id}/report", Tags: tags, Summary: "How a workshop went",
	}, func(ctx context.Context, input *idInput) (*reportOutput, error) {
		found, err := s.Report(ctx, input.ID)
		return &reportOutput{found}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "get-workshop-csv", Method: http.MethodGet, Path: "/workshops/{id}/report.csv", Tags: tags, Summary: "Who came, as a table",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}}},
	}, func(ctx context.Context, input *struct {
		ID    string `path:"id"`
		Names bool   `query:"names" doc:"With what people called themselves"`
	},
	) (*struct {
		ContentType        string `header:"Content-Type"`
		ContentDisposition string `header:"Content-Disposition"`
		Body               []byte
	}, error,
	) {
		found, err := s.Report(ctx, input.ID)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		err = found.WriteCSV(&text, input.Names)
		return &struct {
			ContentType        string `header:"Content-Type"`
			ContentDisposition string `header:"Content-Disposition"`
			Body               []byte
		}{
			"text/csv; charset=utf-8",
			mime.FormatMediaType("attachment", map[string]string{"filename": humanize.FileName(found.Name, "workshop") + ".csv"}), text.Bytes(),
		}, err
	})
}

const (
	keepAlive = 15 * time.Second // between two events; proxies cut silent streams
	sendTime  = 20 * time.Second // that a client may take to read an event
	lookAgain = time.Second      // between two looks at a board
)

type boardInput struct {
	ID     string `path:"id"`
	Accept string `header:"Accept"`
}

func handleBoard(ctx context.Context, s *Service, input *boardInput) (*huma.StreamResponse, error) {
	found, err := s.Board(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(answer huma.Context) {
		_, w := humachi.Unwrap(answer)
		w.Header().Set("Cache-Control", "no-store")
		if !strings.Contains(input.Accept, "text/event-stream") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(found)
			return
		}
		follow(ctx, s, w, input.ID, found)
	}}, nil
}

// follow sends a board whenever it changes, until the caller leaves or hosts the workshop no longer.
func follow(ctx context.Context, s *Service, w http.ResponseWriter, id string, found Board) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	header.Set("Connection", "close") // its deadlines stay with the connection
	controller := http.NewResponseController(w)
	send := func(text string) bool {
		_ = controller.SetWriteDeadline(time.Now().Add(sendTime))
		_, err := w.Write([]byte(text))
		return err == nil && controller.Flush() == nil
	}
	ticks := time.NewTicker(lookAgain)
	defer ticks.Stop()
	last, sentAt := "", time.Now()
	for {
		text, err := json.Marshal(found)
		if err != nil {
			return
		}
		switch {
		case still(found) != last:
			if !send(fmt.Sprintf("event: board\ndata: %s\n\n", text)) {
				return
			}
			if last, sentAt = still(found), time.Now(); found.State == Ended {
				send("event: ended\ndata: {}\n\n") // nothing changes any more
				return
			}
		case time.Since(sentAt) >= keepAlive:
			if !send(": still here\n\n") {
				return
			}
			sentAt = time.Now()
		}
		select {
		case <-ticks.C:
		case <-s.leaving.Done():
			return
		case <-ctx.Done():
			return
		}
		if found, err = s.boardStill(ctx, id); err != nil {
			switch fault.KindOf(err) {
			case fault.NotFound, fault.Forbidden, fault.Unauthenticated:
				text, _ := json.Marshal(map[string]string{"code": string(fault.CodeOf(err)), "text": fault.MessageOf(err)})
				send(fmt.Sprintf("event: ended\ndata: %s\n\n", text))
			}
			return
		}
	}
}

// still returns a board as it is as long as only time passes.
func still(found Board) string {
	seats := make([]BoardSeat, len(found.Seats))
	copy(seats, found.Seats)
	for i := range seats {
		seats[i].WaitingSeconds = 0
	}
	found.Seats = seats
	text, _ := json.Marshal(found)
	return string(text)
}
