/**
 * Tokens in mails. Each has 256 random bits, is stored as a hash, and is good for one purpose,
 * once, for 30 minutes. It depends on the e-mail address, the password and the status of its user:
 * `record/` removes it when one of them changes.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { LoginMark, OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { MailWithLink } from '../../resource/accounts/mail-names.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { drawToken, hashToken } from '../tokens/token.ts'
import { unproven } from './owner-mails.ts'

export const oneTimeTokenMs = 30 * 60_000

/**
 * Tokens of one purpose that a user may have at once. While they live, no more are sent. So a flood
 * of requests neither fills a mailbox nor invalidates the first token.
 */
const tokensOfPurposeMax = 3

/**
 * Not a token but the note that a user has yet to prove an address. It has a hash that nothing
 * gives.
 */
const awaiting = 'awaiting'
/** How long a sign-up can be proven; afterwards the operator decides. */
const awaitingMs = 30 * 24 * 60 * 60_000

/** It lasts until the proof comes. */
const noEnd = '9999-12-31T23:59:59.999Z'

/**
 * `unauthenticated` where the token is the credential; `forbidden` beside a good credential, since
 * a refresh of that would not help.
 */
export function invalidTokenError(code: 'unauthenticated' | 'forbidden'): ApiError {
  const detail = 'token is used, expired or unknown; ask for a new mail'
  return new ApiError(code, detail, { mistakes: [{ field: 'token', detail }] })
}

export type TokenPurpose = MailWithLink
export type SpentToken = { readonly user: Row; readonly purpose: TokenPurpose; readonly address: string | null }
type TokenRequest = { readonly owner: Scalar; readonly purpose: TokenPurpose; readonly address?: string | undefined }

export type OneTimeTokens = {
  /** A new token; undefined while the user has enough of them. */
  mint(tx: RecordTransaction, token: TokenRequest): Promise<string | undefined>
  /** Removes a token that was never sent. */
  withdraw(tx: RecordTransaction, token: string): Promise<void>
  /**
   * The record of a token that is good for one of these purposes; undefined for any other. Nothing
   * is changed.
   */
  find(reads: Pick<ReadStorage, 'find'>, token: string, purposes: readonly TokenPurpose[]): Promise<Row | undefined>
  /** Removes a good token, with its user locked; undefined for any other. */
  spend(tx: RecordTransaction, token: string, purposes: readonly TokenPurpose[]): Promise<SpentToken | undefined>
  /** Notes that the user has yet to prove an address. */
  awaitProof(tx: RecordTransaction, owner: Scalar): Promise<void>
  isAwaited(tx: RecordTransaction, owner: Scalar): Promise<boolean>
  noteUnproven(tx: RecordTransaction, owner: Scalar): Promise<void>
}

type TokenTable = MarkedTable<OneTimeTokenMark>

/** The note that the user has yet to prove the address. */
export function isUnproven({ mark }: TokenTable, owner: Scalar): Condition {
  return all(equal(mark.owner, owner), equal(mark.purpose, unproven))
}

/** Notes that the user has not proven the address. */
export async function noteUnproven(tx: RecordTransaction, tokens: TokenTable, owner: Scalar): Promise<void> {
  const { resource, mark } = tokens
  if ((await tx.count(resource, isUnproven(tokens, owner))) > 0) return
  const values = {
    [mark.owner]: owner,
    [mark.purpose]: unproven,
    [mark.hash]: hashToken(drawToken()),
    [mark.address]: null,
    [mark.expiresAt]: noEnd,
  }
  await tx.insert(await tx.prepare(resource, values))
}

/** Removes the note. Returns whether there was one. Call it with the user's row locked. */
export async function takeUnproven(tx: RecordTransaction, tokens: TokenTable, owner: Scalar): Promise<boolean> {
  return (await tx.removeWhere(tokens.resource, isUnproven(tokens, owner))) > 0
}

type OneTimeTokensDeps = {
  readonly clock: Clock
  readonly login: MarkedTable<LoginMark>
  readonly tokens: MarkedTable<OneTimeTokenMark>
}

export function makeOneTimeTokens({ clock, login, tokens: { resource, mark } }: OneTimeTokensDeps): OneTimeTokens {
  const isLive = (): Condition => ({
    kind: 'compare',
    field: mark.expiresAt,
    operator: 'gt',
    value: timestampOf(clock()),
  })
  const ofPurpose = (owner: Scalar, purpose: string) =>
    all(equal(mark.owner, owner), equal(mark.purpose, purpose), isLive())

  async function store(tx: RecordTransaction, values: Readonly<Record<string, unknown>>): Promise<void> {
    await tx.insert(await tx.prepare(resource, values))
  }

  async function find(reads: Pick<ReadStorage, 'find'>, token: string, purposes: readonly TokenPurpose[]) {
    const row = (await reads.find(resource, equal(mark.hash, hashToken(token))))?.row
    const isGood =
      row && purposes.includes(row[mark.purpose] as TokenPurpose) && Date.parse(row[mark.expiresAt] as string) > clock()
    return isGood ? row : undefined
  }

  return {
    find,

    async mint(tx, { owner, purpose, address }) {
      // two at once count each other
      await tx.lock(login.resource, equal(login.resource.idField, owner))
      if ((await tx.count(resource, ofPurpose(owner, purpose))) >= tokensOfPurposeMax) return undefined
      const token = drawToken()
      await store(tx, {
        [mark.owner]: owner,
        [mark.purpose]: purpose,
        [mark.hash]: hashToken(token),
        [mark.address]: address ?? null,
        [mark.expiresAt]: timestampOf(clock() + oneTimeTokenMs),
      })
      return token
    },

    async withdraw(tx, token) {
      await tx.removeWhere(resource, equal(mark.hash, hashToken(token)))
    },

    async spend(tx, token, purposes) {
      const found = await find(tx, token, purposes)
      if (!found) return undefined
      // Locks the user first, like every other write to both. After a wait, this sees what the
      // other write did.
      const owner = equal(login.resource.idField, found[mark.owner] as Scalar)
      const user = (await tx.lock(login.resource, owner))?.row
      const row = (await tx.lock(resource, equal(resource.idField, found[resource.idField] as Scalar)))?.row
      if (!user || !row) return undefined
      await tx.remove(resource, row)
      return { user, purpose: row[mark.purpose] as TokenPurpose, address: row[mark.address] as string | null }
    },

    awaitProof: (tx, owner) =>
      store(tx, {
        [mark.owner]: owner,
        [mark.purpose]: awaiting,
        [mark.hash]: hashToken(drawToken()),
        [mark.address]: null,
        [mark.expiresAt]: timestampOf(clock() + awaitingMs),
      }),

    noteUnproven: (tx, owner) => noteUnproven(tx, { resource, mark }, owner),

    isAwaited: async (tx, owner) => (await tx.count(resource, ofPurpose(owner, awaiting))) > 0,
  }
}
