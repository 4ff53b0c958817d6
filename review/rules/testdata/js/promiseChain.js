'use strict';
const redis = require('redis').createClient();
const { promisify } = require('util');
const setAsync = promisify(redis.set).bind(redis);
const getAsync = promisify(redis.get).bind(redis);
const delAsync = promisify(redis.del).bind(redis);
const crypto = require('crypto');

module.exports = function guarded(name, ttl, task) {
  const id = crypto.randomBytes(12).toString('hex');
  return setAsync(name, id, 'NX', 'PX', ttl)
    .then((reply) => {
      if (reply !== 'OK') {
        throw new Error('locked: ' + name);
      }
      return task();
    })
    .then((value) =>
      getAsync(name).then((current) => {
        if (current === id) {
          return delAsync(name).then(() => value); // want 2
        }
        return value;
      })
    );
};
