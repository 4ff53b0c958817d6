var Redis = require('ioredis');
var db = require('./db');
var client = new Redis();

exports.recount = function (boardId, cb) {
  var k = 'recount.' + boardId + '.busy';
  client.setnx(k, '1', function (err, n) {
    if (err) return cb(err);
    if (n === 0) return cb(null, false);
    client.expire(k, 30, function () { // want 3
      db.query('UPDATE boards SET posts = (SELECT count(*) FROM posts WHERE board = ?) WHERE id = ?', [boardId, boardId], function (e) { // want 4
        client.del(k, function () { // want 1
          cb(e, true);
        });
      });
    });
  });
};
