import org.jooq.DSLContext;
import static db.Tables.CHECKPOINT;

class JooqFence {
    private final DSLContext ctx;
    JooqFence(DSLContext c) { this.ctx = c; }
    void save(String job, String state, long fencingToken) {
        Long stored = ctx.select(CHECKPOINT.FENCE).from(CHECKPOINT).where(CHECKPOINT.JOB.eq(job)).fetchOne(CHECKPOINT.FENCE);
        if (stored != null && stored > fencingToken) throw new IllegalStateException("stale");
        ctx.update(CHECKPOINT).set(CHECKPOINT.STATE, state).set(CHECKPOINT.FENCE, fencingToken).where(CHECKPOINT.JOB.eq(job)).execute(); // want 15
    }
    void ok(String job, String state, long fencingToken) {
        int n = ctx.update(CHECKPOINT).set(CHECKPOINT.STATE, state).set(CHECKPOINT.FENCE, fencingToken).where(CHECKPOINT.JOB.eq(job)).and(CHECKPOINT.FENCE.le(fencingToken)).execute();
        if (n != 1) throw new IllegalStateException("stale");
    }
}
