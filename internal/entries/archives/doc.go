// Package archives puts files into research archives and takes them out: a Client deposits at Zenodo or at any InvenioRDM
// with a person's token, and Records says what is behind a DOI at Zenodo, InvenioRDM, Figshare or Dataverse.
//
// A deposit is made so that it can be continued after any lost answer. Create writes a mark into the metadata, by which
// FindDraft finds the draft again; NewVersion and Upload can be repeated; and Get says whether a draft was published.
// Publishing cannot be undone.
//
// It keeps nothing, and tokens are in no address and no error. Package archivestest has stand-ins.
package archives
