import org.jooq.DSLContext;
import static db.Tables.TASK;

class SafeClaimer {
    DSLContext dsl;
    java.util.List<Long> claim(String me) {
        return dsl.transactionResult(c -> {
            DSLContext tx = c.dsl();
            var q = tx.select(TASK.ID, TASK.LOCKED_BY).from(TASK).where(TASK.STATUS.eq("ready")).limit(5).forUpdate().skipLocked();
            var ids = q.fetch(TASK.ID);
            if (ids.isEmpty()) return ids;
            tx.update(TASK).set(TASK.STATUS, "running").set(TASK.LOCKED_BY, me).set(TASK.LOCKED_AT, now()).where(TASK.ID.in(ids)).execute();
            return ids;
        });
    }
    boolean finish(long id, String me) {
        return dsl.update(TASK).setNull(TASK.LOCKED_BY).where(TASK.ID.eq(id)).and(TASK.LOCKED_BY.eq(me)).execute() == 1;
    }
}
