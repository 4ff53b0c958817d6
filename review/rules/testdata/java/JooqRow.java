package x;

import static x.Tables.BERTH;
import java.time.OffsetDateTime;
import org.jooq.DSLContext;

class JooqRow {
  private final DSLContext dsl;
  private final String me;
  JooqRow(DSLContext dsl, String me) { this.dsl = dsl; this.me = me; }

  boolean moor(int id) {
    return dsl.update(BERTH)
        .set(BERTH.VESSEL, me)
        .set(BERTH.SAILS, OffsetDateTime.now().plusMinutes(1)) // want 6
        .where(BERTH.ID.eq(id).and(BERTH.VESSEL.isNull().or(BERTH.SAILS.lt(OffsetDateTime.now()))))
        .execute() == 1;
  }

  void cast(int id) {
    dsl.update(BERTH).setNull(BERTH.VESSEL).where(BERTH.ID.eq(id)).execute(); // want 1
  }
}
