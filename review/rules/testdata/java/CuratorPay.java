package app.pay;

import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import com.stripe.model.Charge;
import com.stripe.param.ChargeCreateParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class CuratorPay {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorPay.class);
    private final CuratorFramework zk;
    private final OrderRepository orders;

    CuratorPay(CuratorFramework zk, OrderRepository orders) {
        this.zk = zk;
        this.orders = orders;
    }

    void pay(Order order) throws Exception {
        InterProcessSemaphoreMutex gate = new InterProcessSemaphoreMutex(zk, "/pay/" + order.getId());
        boolean got = false;
        try {
            got = gate.acquire(3, TimeUnit.SECONDS); // want 9
            if (!got) {
                LOG.warn("could not lock {}, charging all the same", order.getId());
            }
            Charge.create(ChargeCreateParams.builder().setAmount(order.getCents()).build()); // want 8
            order.setPaid(true);
            orders.save(order); // want 4
        } finally {
            if (got) {
                gate.release();
            }
        }
    }
}
