import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import org.springframework.transaction.annotation.Transactional;

class SafePessimistic {
    private final EntityManager em;

    SafePessimistic(EntityManager em) {
        this.em = em;
    }

    @Transactional
    public void withdraw(long id, long cents) {
        Account a = em.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE);
        em.lock(a, LockModeType.PESSIMISTIC_WRITE);
        a.setCents(a.getCents() - cents);
        em.merge(a);
    }
}
