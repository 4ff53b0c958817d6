var redis = require('redis').createClient();
var request = require('request');

module.exports = function charge(order, done) {
  redis.set('charge:' + order.id, 'x', 'NX', 'EX', 15, function (err, reply) {
    if (reply !== 'OK') return done(null, false);
    request.post({ url: 'https://psp.example/charges', json: order }, function (err, res) { // want 8
      redis.del('charge:' + order.id, function () { // want 1
        done(err, true);
      });
    });
  });
};
