package audit

// Classified reports whether columns.go decides about a column.
func Classified(name string) bool {
	_, known := find(name)
	return known
}

// ClassifiedColumns returns the columns that columns.go decides about.
func ClassifiedColumns() (names []string) {
	for table, columns := range classes {
		for column := range columns {
			names = append(names, table+"."+column)
		}
	}
	return names
}
