/**
 * The hand-written credentials: JSON Web Tokens signed with HMAC, and one API key, stored as its
 * hash.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { FastifyReply, FastifyRequest } from 'fastify'

const secret = 'a secret of the benchmark, thirty-two bytes or more'
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signatureOf = (text: string) => createHmac('sha256', secret).update(text).digest()

export function signToken(userId: string): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ userId, exp: Date.now() / 1000 + 3600 })}`
  return `${text}.${signatureOf(text).toString('base64url')}`
}

/** The user of a valid token. */
export function checkToken(authorization: string | undefined): string | undefined {
  const [scheme, token = ''] = (authorization ?? '').split(' ')
  const [header, payload = '', signature = ''] = token.split('.')
  if (scheme !== 'Bearer') return undefined
  const given = Buffer.from(signature, 'base64url')
  const right = signatureOf(`${header}.${payload}`)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const { userId, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { userId: string; exp: number }
  return exp * 1000 > Date.now() ? userId : undefined
}

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

export function keyCheck(database: DatabaseSync) {
  database.exec('CREATE TABLE IF NOT EXISTS api_keys (hash TEXT PRIMARY KEY) WITHOUT ROWID')
  database.prepare('INSERT OR IGNORE INTO api_keys VALUES (?)').run(hashOf('hand-written'))
  const find = database.prepare('SELECT hash FROM api_keys WHERE hash = ?')
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const key = request.headers['x-api-key']
    if (typeof key !== 'string' || !find.get(hashOf(key))) await reply.code(401).send({ error: 'Invalid API key' })
  }
}
