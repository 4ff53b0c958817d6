package x;

import java.time.Instant;
import java.time.Duration;
import javax.persistence.EntityManager;
import org.springframework.transaction.annotation.Transactional;

class TwoStepRow {
  private EntityManager em;
  private String me;

  @Transactional
  boolean sit(long desk) {
    Desk d = em.find(Desk.class, desk);
    if (d.getClerk() != null && d.getLeaves().isAfter(Instant.now())) {
      return false;
    }
    d.setClerk(me);
    d.setLeaves(Instant.now().plus(Duration.ofMinutes(1)));
    em.persist(d); // want 3
    return true;
  }
}
