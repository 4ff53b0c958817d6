var redis = require('redis');
var pg = require('pg');

var kv = redis.createClient();
var db = new pg.Pool();

function Weigher(scale) {
  this.key = 'weigh:' + scale;
  this.me = Math.random().toString(36);
  this.scale = scale;
}

Weigher.prototype.step = function (cb) {
  kv.set(this.key, this.me, 'NX', 'PX', 9000, function (err, answer) {
    cb(err, answer === 'OK');
  });
};

Weigher.prototype.off = function (cb) {
  var that = this;
  kv.get(that.key, function (err, who) {
    if (err || who !== that.me) return cb(err || new Error('late'));
    kv.del(that.key, cb); // want 2
  });
};

Weigher.prototype.weigh = function (kilos, cb) {
  var that = this;
  that.step(function (err, on) {
    if (err || !on) return cb(err);
    db.query('UPDATE scales SET kilos = $1 WHERE id = $2', [kilos, that.scale], function (failed) { // want 4
      that.off(function (late) {
        cb(failed || late);
      });
    });
  });
};
