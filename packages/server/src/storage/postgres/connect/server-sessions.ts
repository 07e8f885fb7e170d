/**
 * States and rights of the pools' sessions: each session is asked when it begins, and again with
 * every look of the change log. A replica serves no request. A primary that refuses writes serves
 * reads; its sessions are replaced until one may write.
 */
import type pg from 'pg'
import { makeRepeatedLine } from '../../../base/repeated-line.ts'
import type { StorageReadiness } from '../../storage.ts'
import { isConnectionFault, isFullDisk, isReadOnly, replicaFault, translateFault } from './faults.ts'
import { type SessionState, sessionSql } from './server-hosts.ts'

export type ServerSessions = {
  /** Sets up a connection and reads its state. Throws for a replica. */
  begin(client: pg.ClientBase): Promise<void>
  /**
   * Takes the state that the server reports along with a read, also behind a proxy that connects to
   * another server.
   */
  saw(session: Pick<SessionState, 'replica' | 'readonly'>): void
  /** Takes the error of a write on this connection. */
  noteFault(error: unknown, client: pg.ClientBase): void
  /** A connection broke: the server may have ended all that there are. */
  broke(): void
  /** Whether it has not answered since a connection broke. */
  isDoubtful(client: pg.ClientBase): boolean
  /** It has answered. */
  answered(client: pg.ClientBase): void
  /** Throws `ApiError` while the server is a replica. */
  check(): void
  /** Whether another connection should replace this one. */
  isOld(client: pg.ClientBase): boolean
  /** Whether it refuses writes, by its latest report. */
  isRefusing(client: pg.ClientBase): boolean
  readiness(): StorageReadiness
  /** Whether writes find the disk full; `found`: it has room again. */
  readonly room: { isMissing(): boolean; found(): void }
}

/** How long the state of a session that may not write is trusted. */
const believedMs = 1_000

const writes = (name: string, { lockMsMax, statementMsMax, idleInTransactionMsMax }: SessionWaits) =>
  `SET application_name = '${name}'; SET statement_timeout = ${statementMsMax}; SET lock_timeout = ${lockMsMax};
   SET idle_in_transaction_session_timeout = ${idleInTransactionMsMax}`

export type SessionWaits = {
  readonly lockMsMax: number
  readonly statementMsMax: number
  readonly idleInTransactionMsMax: number
}

/**
 * The forms of texts and values, for any setting of a server, a database or a role: statements and
 * the driver rely on them.
 */
export const forms = `SET datestyle = 'ISO'; SET timezone = 'UTC'; SET standard_conforming_strings = on; SET extra_float_digits = 1;
   SET array_nulls = on; SET transform_null_equals = off; SET client_encoding = 'UTF8'`

/**
 * A statement sets these instead of start-up parameters, which a proxy may refuse. All connections
 * set the same.
 */
export const settingsOf = (name: string, waits: SessionWaits) => `${writes(name, waits)}; ${forms}`

const lines = {
  readOnly:
    'The database refuses every write (default_transaction_read_only is on for the server, the database or the user): reads go on. See who set it: bindery doctor',
  replica:
    'The database server is a replica: nothing is served until DATABASE_URL leads to the primary, or this server is promoted',
  full: 'The disk of the database is full: writes are refused, and nothing of them is kept. Make room; writes go on by themselves',
  again: 'The database can be written again',
} as const

export function makeServerSessions(settings: string, report: (message: string) => void): ServerSessions {
  const begun = new WeakMap<
    pg.ClientBase,
    { readonly atMs: number; readonly round: number; readonly readonly: boolean }
  >()
  const told = { readOnly: makeRepeatedLine(report), replica: makeRepeatedLine(report), full: makeRepeatedLine(report) }
  const answeredMs = new WeakMap<pg.ClientBase, number>()
  let brokeMs = Number.NEGATIVE_INFINITY
  /** Sessions of an earlier round began before the server refused writes. */
  let round = 0
  let state: 'ok' | 'readOnly' | 'replica' = 'ok'
  let isFull = false

  function become(now: typeof state): void {
    if (now !== 'ok') told[now].tell(lines[now])
    if (now === state) return
    const isBack = now === 'ok'
    state = now
    if (!isBack) return
    told.readOnly.end()
    told.replica.end()
    report(lines.again)
  }
  /** Called for an old session: only a new one shows that writes are possible again. */
  function refuse(): void {
    if (state !== 'readOnly') round += 1
    become('readOnly')
  }

  function broke(): void {
    brokeMs = performance.now()
  }

  return {
    broke,
    isDoubtful: (client) => (answeredMs.get(client) ?? begun.get(client)?.atMs ?? 0) <= brokeMs,
    answered: (client) => void answeredMs.set(client, performance.now()),
    async begin(client) {
      const results = (await client.query(`${settings}; ${sessionSql}`)) as unknown as pg.QueryResult<SessionState>[]
      const session = results.at(-1)?.rows[0] as SessionState
      if (session.replica) {
        become('replica')
        throw replicaFault()
      }
      begun.set(client, { atMs: performance.now(), round, readonly: session.readonly })
      become(session.readonly ? 'readOnly' : 'ok')
    },
    saw({ replica, readonly }) {
      if (replica) {
        become('replica')
        throw replicaFault()
      }
      if (state === 'replica') become(readonly ? 'readOnly' : 'ok')
      else if (readonly) refuse()
    },
    noteFault(error, client) {
      if (isConnectionFault(error)) broke()
      if (isReadOnly(error)) {
        if (begun.get(client)?.round === round) round += 1
        become('readOnly')
      }
      if (!isFullDisk(error)) return
      isFull = true
      told.full.tell(lines.full)
    },
    check() {
      if (state === 'replica') throw translateFault(replicaFault())
    },
    isOld(client) {
      const session = begun.get(client)
      if (session === undefined) return false
      return session.round !== round || (session.readonly && performance.now() - session.atMs > believedMs)
    },
    isRefusing: (client) => begun.get(client)?.readonly === true,
    readiness: () => (isFull || state === 'readOnly' ? 'read-only' : 'ok'),
    room: {
      isMissing: () => isFull,
      found() {
        if (!isFull) return
        isFull = false
        told.full.end()
        report(lines.again)
      },
    },
  }
}
