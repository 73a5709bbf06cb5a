// Package localjupyter runs sessions on this machine: one jupyter-notebook process per session, on a unix socket, in a box
// of internal/sessions/machine/sandbox. It keeps one folder per session:
//
//	<Dir>/<session id>/record.json   what is needed to find the session again; holds its token
//	                   session.log   what git and Jupyter said, bounded
//	                   exit.json     process and exit code, as the monitor of the box reports them
//	                   work/         Jupyter's root: the repository, data/, and what the user makes
//	                   home/         HOME; kept between starts, not part of the archive
//	                   datasets/     mount points of the datasets
//	                   tmp/          instead of /tmp, where there is no bubblewrap
//	                   clone/        a clone under way; becomes work/<folder> by one rename when it is whole
//	<Dir>/cache/                     repositories, environments, datasets and downloads that sessions share (cache)
//	<RuntimeDir>/<short id>/         the sockets; gone when the session does not run
//
// Boxes outlive the server. After a kill -9, New adopts them and asks Jupyter with its token. New restarts a launch
// that was in progress; until then its phase is still Starting.
//
// Datasets are mounted read-only with bubblewrap; without it they are copied once into work/data with read-only
// permissions. The room disk measures sessions; all other limits are the box's. git only reaches public addresses, through a
// forwardproxy.Proxy, and pip only reaches a package index, served by a packageindex.Guard.
//
// What stays here is the life of a session: its queue of tasks, its launch, its server and its record. The rest is in rooms of
// their own: checkout copies repositories, environments installs packages, datasets fetches and unpacks data, cache keeps what
// sessions share, disk keeps room free, history keeps versions of work, folders makes and deletes folders, and workarchive packs
// work. None of them knows this package: each says in an interface what it needs of a session.
//
// Everything in work/, home/ and the socket folder belongs to the user of the session and is hostile: the server opens
// it through os.Root, never follows links in it, and checks what a socket is before dialing it.
package localjupyter
