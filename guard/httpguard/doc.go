// Package httpguard carries a fence over HTTP: a client's transport adds it, a
// receiver's middleware checks that it is one, and the receiver's own transaction
// decides.
//
// The middleware is no guard. It keeps no mark, since one in memory forgets at the
// next restart and is not written together with the data. It refuses what no guard
// would admit, an invented fence or one whose signature is not the authority's, and
// hands the rest to the handler:
//
//	http.Handle("POST /payouts", httpguard.Handler{Keys: keys}.Wrap(func(rw http.ResponseWriter, r *http.Request, w guard.Write) {
//		v, err := payouts.InTx(r.Context(), db, w, func(tx *sql.Tx) error { ... })
//		httpguard.Answer(rw, v, err)
//	}))
package httpguard
