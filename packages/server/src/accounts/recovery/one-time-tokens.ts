/**
 * Tokens that go out in mails. Each has 256 random bits, is stored as a hash, is good for one purpose, once, for 30 minutes. It rests on the
 * e-mail address, the password and the status of its user: `record/` removes it when one of them changes.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Writing } from '../../record/records.ts'
import type { LoginMark, OneTimeTokenMark } from '../../resource/accounts/identity-mark.ts'
import type { LetterWithLink } from '../../resource/accounts/letter-names.ts'
import type { Marked } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { Row, StoredReads } from '../../storage/storage.ts'
import { drawToken, hashToken } from '../tokens/token.ts'
import { unproven } from './owner-letters.ts'

export const oneTimeTokenMs = 30 * 60_000

/**
 * Tokens of one purpose that a user may have at once. While they live no more are sent: whoever floods an address with mails neither fills its
 * box nor takes the first token away.
 */
const tokensOfPurposeMax = 3

/** Not a token but the note that a user has yet to prove an address. It has a hash that nothing gives. */
const awaiting = 'awaiting'
/** How long a sign-up can be proven; afterwards the operator decides. */
const awaitingMs = 30 * 24 * 60 * 60_000

/** Until a proof comes, whenever that is. */
const noEnd = '9999-12-31T23:59:59.999Z'

/** `unauthenticated` where the token is the credential, `forbidden` beside one that is good: whoever refreshed that would be told the same. */
export function deadToken(code: 'unauthenticated' | 'forbidden'): ApiError {
  const detail = 'token is used, expired or unknown; ask for a new mail'
  return new ApiError(code, detail, { mistakes: [{ field: 'token', detail }] })
}

export type Purpose = LetterWithLink
export type Spent = { readonly user: Row; readonly purpose: Purpose; readonly address: string | null }
type Minted = { readonly owner: Scalar; readonly purpose: Purpose; readonly address?: string | undefined }

export type OneTimeTokens = {
  /** A new token; undefined while the user has enough of them. */
  mint(writing: Writing, token: Minted): Promise<string | undefined>
  /** Removes a token that nobody has been sent. */
  withdraw(writing: Writing, token: string): Promise<void>
  /** The record of a token that is good for this; undefined for any other. Nothing is changed. */
  find(reads: Pick<StoredReads, 'find'>, token: string, purposes: readonly Purpose[]): Promise<Row | undefined>
  /** Removes a good token, with its user locked; undefined for any other. */
  spend(writing: Writing, token: string, purposes: readonly Purpose[]): Promise<Spent | undefined>
  /** Notes that the user has yet to prove an address. */
  awaitProof(writing: Writing, owner: Scalar): Promise<void>
  isAwaited(writing: Writing, owner: Scalar): Promise<boolean>
  noteUnproven(writing: Writing, owner: Scalar): Promise<void>
}

type Tokens = Marked<OneTimeTokenMark>

function isUnproven({ mark }: Tokens, owner: Scalar): Condition {
  return all(equal(mark.owner, owner), equal(mark.purpose, unproven))
}

/** Notes that nobody has shown that the address of the user is theirs. */
export async function noteUnproven(writing: Writing, tokens: Tokens, owner: Scalar): Promise<void> {
  const { resource, mark } = tokens
  if ((await writing.count(resource, isUnproven(tokens, owner))) > 0) return
  const values = {
    [mark.owner]: owner,
    [mark.purpose]: unproven,
    [mark.hash]: hashToken(drawToken()),
    [mark.address]: null,
    [mark.expiresAt]: noEnd,
  }
  await writing.insert(await writing.prepare(resource, values))
}

/** Removes the note. Returns whether there was one. Call it with the user's row locked. */
export async function takeUnproven(writing: Writing, tokens: Tokens, owner: Scalar): Promise<boolean> {
  return (await writing.removeWhere(tokens.resource, isUnproven(tokens, owner))) > 0
}

type Parts = {
  readonly clock: Clock
  readonly login: Marked<LoginMark>
  readonly tokens: Marked<OneTimeTokenMark>
}

export function makeOneTimeTokens({ clock, login, tokens: { resource, mark } }: Parts): OneTimeTokens {
  const isLive = (): Condition => ({
    kind: 'compare',
    field: mark.expiresAt,
    operator: 'gt',
    value: timestampOf(clock()),
  })
  const ofPurpose = (owner: Scalar, purpose: string) =>
    all(equal(mark.owner, owner), equal(mark.purpose, purpose), isLive())

  async function store(writing: Writing, values: Readonly<Record<string, unknown>>): Promise<void> {
    await writing.insert(await writing.prepare(resource, values))
  }

  async function find(reads: Pick<StoredReads, 'find'>, token: string, purposes: readonly Purpose[]) {
    const row = (await reads.find(resource, equal(mark.hash, hashToken(token))))?.row
    const isGood =
      row && purposes.includes(row[mark.purpose] as Purpose) && Date.parse(row[mark.expiresAt] as string) > clock()
    return isGood ? row : undefined
  }

  return {
    find,

    async mint(writing, { owner, purpose, address }) {
      await writing.lock(login.resource, equal(login.resource.idField, owner)) // two at once count each other
      if ((await writing.count(resource, ofPurpose(owner, purpose))) >= tokensOfPurposeMax) return undefined
      const token = drawToken()
      await store(writing, {
        [mark.owner]: owner,
        [mark.purpose]: purpose,
        [mark.hash]: hashToken(token),
        [mark.address]: address ?? null,
        [mark.expiresAt]: timestampOf(clock() + oneTimeTokenMs),
      })
      return token
    },

    async withdraw(writing, token) {
      await writing.removeWhere(resource, equal(mark.hash, hashToken(token)))
    },

    async spend(writing, token, purposes) {
      const found = await find(writing, token, purposes)
      if (!found) return undefined
      // The user first, as in every other write to both. Whoever waited here sees below what the other one did.
      const owner = equal(login.resource.idField, found[mark.owner] as Scalar)
      const user = (await writing.lock(login.resource, owner))?.row
      const row = (await writing.lock(resource, equal(resource.idField, found[resource.idField] as Scalar)))?.row
      if (!user || !row) return undefined
      await writing.remove(resource, row)
      return { user, purpose: row[mark.purpose] as Purpose, address: row[mark.address] as string | null }
    },

    awaitProof: (writing, owner) =>
      store(writing, {
        [mark.owner]: owner,
        [mark.purpose]: awaiting,
        [mark.hash]: hashToken(drawToken()),
        [mark.address]: null,
        [mark.expiresAt]: timestampOf(clock() + awaitingMs),
      }),

    noteUnproven: (writing, owner) => noteUnproven(writing, { resource, mark }, owner),

    isAwaited: async (writing, owner) => (await writing.count(resource, ofPurpose(owner, awaiting))) > 0,
  }
}
