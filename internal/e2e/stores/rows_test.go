package stores

// rows are the scenarios that can concern a store. The first of them are about
// holders and their callers; from L1 on a server is broken, and the next token has
// to be above every one before.
var rows = []row{
	{id: "R01", what: "a holder's packets are dropped, and another waits", play: blackHoledHolder},
	{id: "R02", what: "a paused holder writes late", play: zombieWrite},
	{id: "R03", what: "the store takes a request and never answers", play: neverAnswers},
	{id: "R04", what: "a waiter gave up before its turn", play: deadWaiter},
	{id: "R06", what: "a release that comes too late", play: lateRelease},
	{id: "R07", what: "a renewal that comes too late, to a free name", play: lateRenewal},
	{id: "R08", what: "the reply to a renewal is lost, then a release", play: renewalReplyLost},
	{id: "R09", what: "one renewal fails", play: oneBadRenewal},
	{id: "R10", what: "the reply to an acquire is lost", play: acquireReplyLost},
	{id: "R13", what: "some of those who stand in line are dead", play: corpsesInLine},
	{id: "R16", what: "a wait is cancelled beside a lease that is kept", play: cancelledWait},
	{id: "R19", what: "many waiters on one name", play: manyWaiters},
	{id: "R20", what: "a client dies in the middle of acquires", play: diesWhileAcquiring},
	{id: "R21", what: "odd durations", play: oddDurations},
	{id: "R26", what: "clients in different time zones", play: timeZones},
	{id: "R27", what: "a client's clock is an hour off", play: clientClock},
	{id: "R30", what: "names that look alike, or break things", play: names},
	{id: "R36a", what: "a stale holder asks for its successor's token", play: staleHolderAsks},
	{id: "R36b", what: "a clean-up forgets idle names", play: cleanUp},
	{id: "R37", what: "a renewal for no time at all", play: zeroRenewal},
	{id: "K", what: "permits, readers and writers, several names, a delay: clauses K01 to K15", play: kinds},

	{id: "L1", what: "the server is killed, as it is set up by default", own: true, play: killed},
	{id: "L2", what: "an older copy comes back, twice, under a client that lives on", own: true, play: olderCopy},
	{id: "L2b", what: "an older copy comes back, twice, and no client remembers what it lacks", own: true, play: olderCopyUnseen},
	{id: "L3", what: "a standby that lags is put in charge", own: true, play: promoted},
	{id: "L4", what: "everything is deleted", play: flushed},
	{id: "L5", what: "the store's own record is deleted", play: forgotten},
	{id: "L6", what: "the server may evict what it keeps", own: true, play: evicting},
	{id: "L7", what: "the server's clock jumps an hour ahead, back, and an hour behind", own: true, play: clockMoved},
}
