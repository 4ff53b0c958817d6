const Redlock = require('redlock');
const db = require('./db');
const quorum = new Redlock([require('./redis')]);

exports.reset = function (tenant, done) {
  quorum.lock('quota-lock:' + tenant, 5000, function (err, held) { // want 9 14
    db.query('UPDATE quotas SET used = 0 WHERE tenant = ?', [tenant], function (e) { // want 4
      if (held) held.unlock(function () {}); // want 10
      done(e);
    });
  });
};

exports.safeReset = function (tenant, fence, done) {
  db.query('UPDATE quotas SET used = 0, fence = ? WHERE tenant = ? AND fence <= ?', [fence, tenant, fence], done);
};
