/**
 * Classifies PostgreSQL's errors: by SQLSTATE (appendix A of its manual), or by the error of the
 * socket.
 */
import { ApiError } from '../../../errors.ts'

type DriverError = Error & { readonly code?: string; readonly constraint?: string }

/** The SQLSTATE or system code of an error, or of its cause. */
export function codeOf(error: unknown): string | undefined {
  const own = (error as DriverError | undefined)?.code
  if (error instanceof ApiError) return codeOf(error.cause)
  return typeof own === 'string' ? own : undefined
}

const socketCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)/
/** The driver's own messages have no code. */
const driverSentences =
  /Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|not queryable/

const replicaCode = 'EREPLICA'

/** A replica is of no use in a pool: it refuses every write, and its rows may be old. */
export function replicaFault(): Error {
  return Object.assign(new Error('the server is a replica: it refuses every write'), { code: replicaCode })
}

/** The session or the server refuses every write. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

export function isFullDisk(error: unknown): boolean {
  return codeOf(error) === '53100'
}

/** The server has no free connection. */
export function isFullHouse(error: unknown): boolean {
  return codeOf(error) === '53300'
}

/**
 * The connection is gone or useless: 08 connection, 25P03 and 25P04 idled too long, 57P0x shutting
 * down, 25006 read-only.
 */
export function isConnectionFault(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined && (/^(08|57P0|25P0[34]|25006|EREPLICA)/.test(code) || socketCodes.test(code))) return true
  return code === undefined && error instanceof Error && driverSentences.test(error.message)
}

/**
 * The statement exceeded `statement_timeout`, or another session cancelled it. PostgreSQL
 * distinguishes the two only in words of its own language.
 */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/**
 * The connection lacks a statement that this process prepared: behind a proxy each use may get
 * another connection.
 */
export function isUnprepared(error: unknown): boolean {
  return ['26000', '42P05', '08P01'].includes(codeOf(error) ?? '')
}

/**
 * The statement collided with other transactions, and a retry may succeed: serialization failure,
 * deadlock, a plan that a migration made obsolete.
 */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01', '0A000'].includes(codeOf(error) ?? '')
}

/**
 * Another transaction may have changed the result of an earlier lookup: unique and foreign keys.
 */
export function isOutdated(error: unknown): boolean {
  return ['23505', '23503'].includes(codeOf(error) ?? '')
}

/** A constraint refuses a value, perhaps only at the commit. */
export function isConstraint(error: unknown): boolean {
  return codeOf(error)?.startsWith('23') === true
}

/** The wait for a lock took too long. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/**
 * Another session holds a lock that the statement does not wait for, or both waited for each other.
 */
export function isBusy(error: unknown): boolean {
  return ['55P03', '40P01'].includes(codeOf(error) ?? '')
}

/** The name of the violated unique index. */
export function brokenKeyOf(error: unknown): string | undefined {
  return codeOf(error) === '23505' ? (error as DriverError).constraint : undefined
}

function unavailable(message: string, cause: unknown): ApiError {
  return new ApiError('unavailable', message, { cause, retryAfterSeconds: 1 })
}

export const tooManyChanges = (cause?: unknown) => unavailable('Too many changes at once, try again', cause)

export function cannotBeWritten(cause?: unknown): ApiError {
  const message = 'The database cannot be written, nothing was changed'
  return new ApiError('unavailable', message, { cause, retryAfterSeconds: 30 })
}

/**
 * Translates an error of connecting. Each of them means that the database cannot be used here, a
 * wrong password too.
 */
export function translateConnecting(error: unknown): unknown {
  const known = translateFault(error)
  return known === error ? unavailable('The database cannot be reached, try again', error) : known
}

/** Translates an error for callers. An unknown error stays as it is: it is a bug. */
export function translateFault(error: unknown): unknown {
  if (error instanceof ApiError) return error
  if (isReadOnly(error)) return cannotBeWritten(error)
  if (isConnectionFault(error)) return unavailable('The database cannot be reached, try again', error)
  const code = codeOf(error) ?? ''
  if (isCollision(error) || code === '23503') return tooManyChanges(error)
  if (isLocked(error)) return unavailable('Another transaction is changing this, try again', error)
  if (isCancelled(error)) return unavailable('The database took too long, try again', error)
  if (code === '54000')
    return new ApiError('bad-request', 'A text is too long for a field that is sorted by or unique', { cause: error })
  if (isFullDisk(error))
    return new ApiError('unavailable', 'The disk is full, nothing was written', { cause: error, retryAfterSeconds: 60 })
  if (code.startsWith('53')) return unavailable('The database is busy, try again', error)
  if ((error as Error | undefined)?.message?.startsWith('timeout exceeded when trying to connect'))
    return unavailable('The database is busy, try again', error)
  return error
}
