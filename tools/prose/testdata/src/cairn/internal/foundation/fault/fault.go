package fault

type Fault struct {
	Kind    int
	Code    string
	Message string
	Fields  []Field
}

func (f *Fault) Error() string { return f.Message }

type Field struct{ Location, Message, Ask string }

func MessageOf(err error) string { return err.Error() }

func CodeOf(error) string { return "" }
