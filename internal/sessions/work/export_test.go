package work

// ArchivesAtOnce is archivesAtOnce.
const ArchivesAtOnce = archivesAtOnce

// Archives are archives.
type Archives struct{ archives }

// Begin is begin.
func (a *Archives) Begin(id string) (end func(), err error) { return a.begin(id) }
