// Package jupyterhub runs sessions on an operator's JupyterHub, only through its REST API: each session is a named
// server of its owner, named by the session's id. The hub is the truth about what runs; requests, steps, reasons and
// the token of each session, which it doesn't store, are in Records, which several of our servers may share. If the hub
// has the files of deploy/jupyterhub (the hook that copies and mounts, and the service that reads work folders),
// launches report their steps and work can be downloaded in every state.
package jupyterhub
