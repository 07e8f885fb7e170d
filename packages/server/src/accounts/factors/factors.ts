/**
 * The stored second factors of users: adds, finds and uses them. Each use is checked and noted on
 * the locked row, so that only one process accepts a code or a count.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import type { FactorTables } from '../identity-tables.ts'
import { makeSeal } from '../tokens/seal.ts'
import { hashToken } from '../tokens/token.ts'
import type { PasskeyCredential, Passkeys, RelyingParty, WebauthnJson } from './passkeys.ts'
import { makeRecoveryCodes, type RecoveryCodes } from './recovery-codes.ts'
import { findStep } from './totp.ts'

export const factorsOfUserMax = 20

/** The proof that a user shows for a factor. */
export type Proof =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'recoveryCode'; readonly code: string }
  /** `alone`: no password was shown before. */
  | {
      readonly kind: 'passkey'
      readonly response: WebauthnJson
      readonly party: RelyingParty
      readonly challenge: string
      readonly alone: boolean
    }

/**
 * The stored data of codes, encrypted: the secret in base64url, and the step of the last code that
 * was taken.
 */
type TotpKey = { readonly secret: string; readonly step: number }
export type NewFactor = {
  readonly userId: string
  readonly name: string
  readonly key:
    | { readonly type: 'totp'; readonly totp: TotpKey }
    | { readonly type: 'passkey'; readonly passkey: PasskeyCredential }
}

export type Factors = {
  /** The types of the user's factors, without repetition. */
  typesOf(reader: Pick<Reader, 'list'>, userId: string): Promise<readonly FactorType[]>
  passkeysOf(reader: Pick<Reader, 'list'>, userId: string): Promise<readonly PasskeyCredential[]>
  /** The owner of the passkey. */
  ownerOf(reader: Pick<Reader, 'find'>, response: WebauthnJson): Promise<string | undefined>
  /** Whether the proof is good. It is used up then. */
  take(tx: RecordTransaction, userId: string, proof: Proof): Promise<boolean>
  /** Throws `conflict` for one that is there already, and for one too many. */
  add(tx: RecordTransaction, factor: NewFactor): Promise<Row>
  readonly recoveryCodes: RecoveryCodes
}

type PasskeyProof = Proof & { kind: 'passkey' }

type FactorsDeps = {
  readonly marks: FactorTables
  readonly clock: Clock
  readonly secrets: readonly Buffer[]
  readonly passkeys: Passkeys | undefined
}

function credentialHash(id: unknown): string {
  return hashToken(`passkey ${String(id)}`)
}

export function makeFactors({ marks, clock, secrets, passkeys }: FactorsDeps): Factors {
  const { resource, mark } = marks.factor
  const seal = makeSeal(secrets, 'second factors')
  const recoveryCodes = makeRecoveryCodes(marks)
  const ofUser = (userId: string, type?: FactorType) =>
    all(equal(mark.owner, userId), ...(type === undefined ? [] : [equal(mark.type, type)]))
  const asked = (userId: string, type?: FactorType) => ({
    where: ofUser(userId, type),
    sort: [{ field: resource.idField, descending: false }],
    limit: factorsOfUserMax,
    after: null,
  })
  const sealTotp = (userId: string, key: TotpKey) => seal.seal(JSON.stringify(key), userId)
  const passkeyIn = (row: Row) => JSON.parse(row[mark.key] as string) as PasskeyCredential

  async function used(tx: RecordTransaction, row: Row, key: string): Promise<true> {
    await tx.change(resource, row, { [mark.key]: key, [mark.lastUsedAt]: tx.defaults.now })
    return true
  }

  /** The key is sealed anew with each use, so that it follows a changed secret. */
  async function takeCode(tx: RecordTransaction, userId: string, code: string): Promise<boolean> {
    for (const row of await tx.lockAll(resource, asked(userId, 'totp'))) {
      const opened = seal.open(row[mark.key] as string, userId)
      const key = opened && (JSON.parse(opened.text) as TotpKey)
      const step = key && findStep(Buffer.from(key.secret, 'base64url'), code, { nowMs: clock(), after: key.step })
      if (key && step !== undefined) return used(tx, row, sealTotp(userId, { ...key, step }))
    }
    return false
  }

  async function takePasskey(tx: RecordTransaction, userId: string, proof: PasskeyProof): Promise<boolean> {
    const { response, alone } = proof
    const where = all(ofUser(userId, 'passkey'), equal(mark.credential, credentialHash(response.id)))
    const row = (await tx.lock(resource, where))?.row
    const key = row && (await passkeys?.verify(proof, passkeyIn(row), { alone }))
    return row && key ? used(tx, row, JSON.stringify(key)) : false
  }

  return {
    recoveryCodes,
    async typesOf(reader, userId) {
      const rows = await reader.list(resource, asked(userId))
      return [...new Set(rows.map((row) => row[mark.type] as FactorType))]
    },
    async passkeysOf(reader, userId) {
      return (await reader.list(resource, asked(userId, 'passkey'))).map(passkeyIn)
    },
    async ownerOf(reader, response) {
      const found = await reader.find(resource, equal(mark.credential, credentialHash(response.id)))
      return found?.row[mark.owner] as string | undefined
    },
    async take(tx, userId, proof) {
      switch (proof.kind) {
        case 'code':
          return takeCode(tx, userId, proof.code)
        case 'recoveryCode':
          return recoveryCodes.take(tx, userId, proof.code)
        case 'passkey':
          return takePasskey(tx, userId, proof)
      }
    },
    async add(tx, { userId, name, key }) {
      if ((await tx.count(resource, ofUser(userId))) >= factorsOfUserMax)
        throw new ApiError('conflict', `A user has at most ${factorsOfUserMax} factors; remove one first`)
      const credential = key.type === 'totp' ? hashToken(`totp ${key.totp.secret}`) : credentialHash(key.passkey.id)
      if (await tx.find(resource, equal(mark.credential, credential)))
        throw new ApiError('conflict', 'This factor is enrolled already')
      const values = {
        [mark.owner]: userId,
        [mark.type]: key.type,
        [mark.name]: name,
        [mark.key]: key.type === 'totp' ? sealTotp(userId, key.totp) : JSON.stringify(key.passkey),
        [mark.credential]: credential,
      }
      const row = await tx.insert(await tx.prepare(resource, values))
      const details = { factor: row[resource.idField] as Scalar, type: key.type }
      await recordAudit(tx, { event: 'factor-added', userId, actorId: userId, details })
      return row
    },
  }
}
