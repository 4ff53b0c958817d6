import { DataSource } from 'typeorm';
import { PrismaClient } from '@prisma/client';
import { Sequelize, QueryTypes } from 'sequelize';
import mysql from 'mysql2/promise';

const prisma = new PrismaClient();
const sequelize = new Sequelize(process.env.DB!);
const pool = mysql.createPool(process.env.MYSQL!);

export async function viaTypeorm(ds: DataSource, work: () => Promise<void>) {
  const [{ ok }] = await ds.query('SELECT pg_try_advisory_lock($1) AS ok', [7]); // want 13
  if (!ok) return;
  try {
    await work();
  } finally {
    await ds.query('SELECT pg_advisory_unlock($1)', [7]); // want 10
  }
}

export async function viaPrisma(work: () => Promise<void>) {
  const rows = await prisma.$queryRaw<{ ok: boolean }[]>`SELECT pg_try_advisory_lock(8) AS ok`; // want 13
  if (!rows[0].ok) return;
  try {
    await work();
  } finally {
    await prisma.$executeRaw`SELECT pg_advisory_unlock(8)`; // want 10
  }
}

export async function viaSequelize(work: () => Promise<void>) {
  const [row] = await sequelize.query<{ ok: boolean }>('SELECT pg_try_advisory_lock(9) AS ok', { type: QueryTypes.SELECT }); // want 13
  if (!row.ok) return;
  await work();
  await sequelize.query('SELECT pg_advisory_unlock(9)'); // want 10
}

export async function viaMysql(work: () => Promise<void>) {
  const [rows] = await pool.query('SELECT GET_LOCK(?, 3) AS ok', ['report']); // want 13
  if ((rows as any)[0].ok !== 1) return;
  try {
    await work();
  } finally {
    await pool.query('SELECT RELEASE_LOCK(?)', ['report']); // want 10
  }
}

export async function pinned(work: () => Promise<void>) {
  const conn = await pool.getConnection();
  try {
    const [rows] = await conn.query('SELECT GET_LOCK(?, 3) AS ok', ['report']);
    if ((rows as any)[0].ok !== 1) return;
    await work();
    const [free] = await conn.query('SELECT RELEASE_LOCK(?) AS ok', ['report']);
    if ((free as any)[0].ok !== 1) throw new Error('the session had ended');
  } finally {
    conn.release();
  }
}
