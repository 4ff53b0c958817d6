const sql = require('mssql');

let open;
async function pool() {
  if (!open) open = await sql.connect(process.env.DB);
  return open;
}

async function call(proc, name) {
  const p = await pool();
  const r = p.request().input('Resource', name).input('LockOwner', 'Session');
  return (await r.execute(proc)).returnValue;
}

exports.only = async (name, fn) => {
  if ((await call('sp_getapplock', name)) < 0) return; // want 13
  try {
    await fn();
  } finally {
    const end = await call('sp_releaseapplock', name);
    if (end < 0) console.error('late');
  }
};
