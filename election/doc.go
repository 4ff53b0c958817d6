// Package election makes one process of many the leader: a leader is a lease with a
// term, and what it writes carries the term's fence.
//
//	err := election.Run(ctx, locker, "scheduler", election.Candidacy{
//		Unavailable: election.Wait,
//		Resources:   []election.Resource{plan},
//	}, func(ctx context.Context, term *election.Term) error {
//		for job := range jobs(ctx) {
//			_, err := term.Write(ctx, job.ID, func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
//				return plan.Write(ctx, w, job.Data)
//			})
//			if err != nil {
//				return err
//			}
//		}
//		return nil
//	})
//
// # One term
//
//	campaigning ── granted ── established ── started ───────────── stopped ── released
//	                  │                         │   the work runs     ▲
//	                  │                         └── its context ends ─┘ within Grace
//	                  └── the lease, renewed ──────────────────────────────────┘
//
// The lease is renewed for as long as the work's context lasts. The context ends when
// trust in the lease is Grace from its end, when a renewal or a guard says that the
// term is over, when somebody resigns, and with the context of [Run]. From then on nothing
// is renewed. The lease is released when the work has returned, never under it: work
// that ignores its context keeps the name until the lease runs out, and an
// [EventOverdue] says so. Every EventStarted is followed by one EventStopped, also after
// a panic, and there is no other EventStopped. An EventLost behind it says that the term had
// ended before.
//
// # There can be two
//
// A leader that was paused learns of its end later than its successor of its beginning.
// That is how every election works, so nothing here promises that there is one leader at
// a time. What is promised is that their terms have an order, and that what a leader
// has established refuses the one before it. A leader whose writes don't carry their
// fence is not protected by having been elected.
package election
