package cases;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.stereotype.Component;

@Entity
class JobLock {
    @Id String name;
    String owner;
    Instant lockedUntil;
}

interface JobLockRepository extends JpaRepository<JobLock, String> {
    @Modifying
    @Query("delete from JobLock l where l.name = :name") // want 1
    int drop(String name);
}

@Component
class JobRunner {
    private final JobLockRepository locks;

    JobRunner(JobLockRepository locks) {
        this.locks = locks;
    }

    boolean take(String name, String me) {
        Optional<JobLock> found = locks.findById(name);
        if (found.isPresent() && found.get().lockedUntil.isAfter(Instant.now())) { // want 6
            return false;
        }
        JobLock l = found.orElseGet(JobLock::new);
        l.name = name;
        l.owner = me;
        l.lockedUntil = Instant.now().plusSeconds(60); // want 6
        locks.save(l); // want 3
        return true;
    }

    void free(String name) {
        locks.deleteById(name); // want 1
    }
}
