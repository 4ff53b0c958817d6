// Executes the statement in its argument through node-postgres, and prints its version.
const { Client } = require("pg");

const client = new Client({ ssl: false });
client
  .connect()
  .then(() => client.query(process.argv[2]))
  .then(() => client.end())
  .then(() => console.log(require("pg/package.json").version))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
