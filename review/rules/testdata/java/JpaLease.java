import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.LocalDateTime;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.stereotype.Service;

@Entity
class JobLease {
    @Id String name;
    String holder;
    LocalDateTime lockedUntil;
}

interface JobLeaseRepository extends JpaRepository<JobLease, String> {
    void deleteByName(String name);
}

@Service
class JpaLease {
    private final JobLeaseRepository leases;

    JpaLease(JobLeaseRepository leases) {
        this.leases = leases;
    }

    boolean take(String name, String me) {
        JobLease lease = leases.findById(name).orElseGet(JobLease::new);
        if (lease.lockedUntil != null && lease.lockedUntil.isAfter(LocalDateTime.now())) { // want 6
            return false;
        }
        lease.name = name;
        lease.holder = me;
        lease.lockedUntil = LocalDateTime.now().plusMinutes(2); // want 6
        leases.save(lease); // want 3
        return true;
    }

    void drop(String name) {
        leases.deleteByName(name); // want 1
    }
}
