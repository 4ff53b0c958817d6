import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.*;

class CuratorManifest {
    CuratorFramework client; byte[] me;
    void compact() throws Exception {
        try {
            client.create().withMode(CreateMode.EPHEMERAL).forPath("/compaction/lock", me);
        } catch (KeeperException.NodeExistsException e) { return; }
        byte[] manifest = merge();
        byte[] owner = client.getData().forPath("/compaction/lock");
        if (!java.util.Arrays.equals(owner, me)) throw new IllegalStateException("lost");
        client.setData().forPath("/compaction/manifest", manifest); // want 12 4
    }
}
