package x;

import jakarta.persistence.EntityManager;

public class Drain {
    private final EntityManager em;

    Drain(EntityManager em) { this.em = em; }

    void drain(long id, Runnable work) {
        Boolean got = (Boolean) em.createNativeQuery("SELECT pg_try_advisory_lock(:id)").setParameter("id", id).getSingleResult();
        if (!got) {
            return;
        }
        try {
            work.run();
        } finally {
            em.createNativeQuery("SELECT pg_advisory_unlock(:id)").setParameter("id", id).getSingleResult(); // want 10
        }
    }
}
