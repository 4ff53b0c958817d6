const Redlock = require('redlock');
const Redis = require('ioredis');
const mailer = require('nodemailer').createTransport({});

const quorum = new Redlock([new Redis(1), new Redis(2), new Redis(3)]);
const ignore = () => {};

function during(what, ms, work) {
  return quorum.lock(what, ms).then((held) => { // want 14
    const end = () => held.unlock().catch(ignore); // want 10
    return work().then((v) => end().then(() => v));
  });
}

exports.invite = (guest) => during('invite/' + guest, 3000, () => mailer.sendMail({ to: guest })); // want 8
