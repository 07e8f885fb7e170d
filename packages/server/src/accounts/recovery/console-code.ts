/**
 * Codes with which the console opens without a password, once and for 15 minutes. The start prints
 * one on the machine's own terminal. Nothing is stored before a code is used. It carries its end,
 * and a mark that only the server's secret makes for this account as it is. A code is good for one
 * of two purposes: to log in, or to take over the account that the first start made.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordStore } from '../../record/record-store.ts'
import { always, equal, type Scalar } from '../../resource/condition.ts'
import { type Field, fieldError } from '../../resource/fields/field.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { noteWay } from '../code/noted-way.ts'
import { activeUser, type IdentityTables } from '../identity-tables.ts'
import type { LogInResult, SessionService } from '../sessions/session.ts'
import { type LogInClient, sessionAuthor } from '../sessions/start-session.ts'

const codeMs = 15 * 60_000
const markBytes = 16
const headBytes = 6 + 8

export type CodePurpose = 'log-in' | 'take-over'
/** The choice of the new owner of a first account. `check` throws `bad-request`. */
export type ChosenAccount = {
  readonly email: string | undefined
  readonly password: string | undefined
  check(password: string, user: Row): void
}

export type ConsoleCodes = {
  /**
   * A code for the user with this log-in; undefined where there is none who may act. An account is
   * taken over only while it is the sole one and has never logged in.
   */
  issue(purpose: CodePurpose, login: string): Promise<string | undefined>
  /**
   * Logs in. Throws `unauthenticated` for a code that was used, is too old or was not made here.
   * Throws `bad-request` where an account is taken over without an address and a password.
   */
  enter(code: string, chosen: ChosenAccount, client: LogInClient): Promise<LogInResult>
}

type ConsoleCodeDeps = {
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly clock: Clock
  readonly secrets: readonly Buffer[]
  readonly marks: IdentityTables
  readonly sessions: SessionService
  readonly hashPassword: (password: string) => Promise<string>
}

type Rows = Pick<ReadStorage, 'count'>

const badCode = () =>
  new ApiError('unauthenticated', 'The code is used, expired or unknown; start the service again for a new one')

/** The parts of a code: its end, a nonce, the id of its user, and the mark of all of them. */
function partsOf(code: string) {
  const bytes = Buffer.from(code, 'base64url')
  if (bytes.length <= headBytes + markBytes) throw badCode()
  const said = bytes.subarray(0, -markBytes)
  return {
    said,
    mark: bytes.subarray(-markBytes),
    endsMs: said.readUIntBE(0, 6),
    nonce: said.subarray(6, headBytes).toString('hex'),
    userId: said.subarray(headBytes).toString(),
  }
}

/** A log-out ends the session, and the audit keeps that there was one. */
async function hasLoggedIn(rows: Rows, { session, audit }: IdentityTables, id: Scalar): Promise<boolean> {
  if ((await rows.count(session.resource, equal(session.mark.owner, id))) > 0) return true
  return audit !== undefined && (await rows.count(audit.resource, equal(audit.mark.actor, id))) > 0
}

/** The sole account of a service, as the first start made it. */
async function isUnclaimed(rows: Rows, marks: IdentityTables, user: Row): Promise<boolean> {
  const { resource } = marks.login
  if (await hasLoggedIn(rows, marks, user[resource.idField] as Scalar)) return false
  return (await rows.count(resource, always)) === 1
}

export function makeConsoleCodes(deps: ConsoleCodeDeps): ConsoleCodes {
  const { storage, records, clock, secrets, marks, sessions, hashPassword } = deps
  const { login } = marks
  const { resource, mark: names } = login
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'bindery console codes', 32)))

  /** It rests on the log-in and the password: after a change of one the code is void. */
  function markOf(key: Buffer, purpose: CodePurpose, { said, user }: { said: Buffer; user: Row }): Buffer {
    const about = JSON.stringify([purpose, said.toString('hex'), user[names.login], user[names.secret]])
    return createHmac('sha256', key).update(about).digest().subarray(0, markBytes)
  }

  async function read(code: string): Promise<{ purpose: CodePurpose; user: Row; nonce: string }> {
    const { said, mark, endsMs, nonce, userId } = partsOf(code)
    const user = endsMs > clock() && (await storage.find(resource, equal(resource.idField, userId)))?.row
    if (!user || !activeUser(login, user)) throw badCode()
    const isMade = (purpose: CodePurpose) =>
      keys.some((key) => timingSafeEqual(markOf(key, purpose, { said, user }), mark))
    const purpose = (['log-in', 'take-over'] as const).find(isMade)
    if (!purpose) throw badCode()
    return { purpose, user, nonce }
  }

  /** Of several requests with the same code, on any process, one passes. */
  async function spend(nonce: string): Promise<void> {
    if ((await storage.countUp(`console code ${nonce}`, codeMs, clock())).count > 1) throw badCode()
  }

  /** The first account as its owner wants it. Not once it has logged in. */
  async function takeOver(
    found: { user: Row; nonce: string },
    chosen: ChosenAccount,
    client: LogInClient,
  ): Promise<Row> {
    const { user, nonce } = found
    const { email, password, check } = chosen
    if (!email) throw fieldError(names.login, 'is required')
    if (!password) throw fieldError(names.secret, 'is required')
    const field = resource.fields[names.login] as Field
    field.type.check(email, names.login, field)
    check(password, { ...user, [names.login]: email })
    const secret = await hashPassword(password)
    const id = user[resource.idField] as Scalar
    await spend(nonce)
    return records.transaction(sessionAuthor(client), async (tx) => {
      const now = (await tx.lock(resource, equal(resource.idField, id)))?.row
      const isSame = now && [names.secret, names.login].every((name) => now[name] === user[name])
      if (!isSame || (await hasLoggedIn(tx, marks, id))) throw badCode()
      noteWay(tx, 'console-code')
      return tx.change(resource, now, { [names.login]: email, [names.secret]: secret })
    })
  }

  return {
    async issue(purpose, name) {
      const user = (await storage.find(resource, equal(names.login, name)))?.row
      if (!user || !activeUser(login, user)) return undefined
      if (purpose === 'take-over' && !(await isUnclaimed(storage, marks, user))) return undefined
      const head = Buffer.alloc(headBytes)
      head.writeUIntBE(clock() + codeMs, 0, 6)
      randomBytes(headBytes - 6).copy(head, 6)
      const said = Buffer.concat([head, Buffer.from(String(user[resource.idField]))])
      return Buffer.concat([said, markOf(keys[0] as Buffer, purpose, { said, user })]).toString('base64url')
    },

    async enter(code, chosen, client) {
      const found = await read(code)
      if (found.purpose === 'log-in') await spend(found.nonce)
      const row = found.purpose === 'log-in' ? found.user : await takeOver(found, chosen, client)
      const user = activeUser(login, row)
      if (!user) throw badCode()
      const holds = (now: Row) => now[names.secret] === row[names.secret] && now[names.login] === row[names.login]
      return sessions.begin({ user, way: 'console-code', holds }, client)
    },
  }
}
