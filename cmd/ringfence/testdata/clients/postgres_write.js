// Executes the statement in its argument through postgres.js, and prints its version.
const fs = require("fs");
const path = require("path");
const postgres = require("postgres");

const fence = process.env.RINGFENCE_FENCE;
const sql = postgres({ ssl: false, max: 1, connection: process.env.INSTEAD ? { "ringfence.fence": fence } : {} });
const manifest = path.join(path.dirname(require.resolve("postgres")), "..", "..", "package.json");
sql
  .unsafe(process.argv[2])
  .then(() => sql.end())
  .then(() => console.log(JSON.parse(fs.readFileSync(manifest)).version))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
