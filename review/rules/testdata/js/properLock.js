const lockfile = require('proper-lockfile');
const fs = require('node:fs/promises');

async function save(file, value) {
  const release = await lockfile.lock(file, { retries: 3 });
  try {
    await fs.writeFile(file, JSON.stringify(value));
  } finally {
    await release();
  }
}

module.exports = { save };
