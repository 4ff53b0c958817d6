package cases;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.election.CampaignResponse;
import java.nio.charset.StandardCharsets;
import org.springframework.jdbc.core.JdbcTemplate;

class EtcdChief {
    private final Client etcd;
    private final JdbcTemplate jdbc;

    EtcdChief(Client etcd, JdbcTemplate jdbc) {
        this.etcd = etcd;
        this.jdbc = jdbc;
    }

    void lead(long lease, String me) throws Exception {
        ByteSequence name = ByteSequence.from("/chief", StandardCharsets.UTF_8);
        CampaignResponse won = etcd.getElectionClient().campaign(name, lease, ByteSequence.from(me, StandardCharsets.UTF_8)).get();
        while (!Thread.interrupted()) {
            jdbc.update("UPDATE schedule SET next = next + 1 WHERE due < now()"); // want 11
            Thread.sleep(1000);
        }
    }
}
