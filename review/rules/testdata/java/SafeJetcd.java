import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;

class SafeJetcd {
    boolean put(KV kv, ByteSequence lockKey, long revision, ByteSequence key, ByteSequence value) throws Exception {
        return kv.txn()
            .If(new Cmp(lockKey, Cmp.Op.EQUAL, CmpTarget.createRevision(revision)))
            .Then(Op.put(key, value, PutOption.DEFAULT))
            .commit().get().isSucceeded();
    }
}
