package httpapi

type Problem struct{ Code, Detail, Message string }
