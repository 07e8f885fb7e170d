/**
 * Creates a factor: first the secret for an app or the challenge for a device, then the proof that
 * the factor works.
 */
import type { Clock } from '../../base/clock.ts'
import { hostNameOf } from '../../base/host-name.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import { fieldError } from '../../resource/fields/field.ts'
import type { RequestOrigin } from '../../resource/traits.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import type { ActiveUser } from '../identity-tables.ts'
import { makeChallenge, type TicketData } from '../tokens/ticket.ts'
import { wrongProof } from './factor-log-in.ts'
import type { Factors, NewFactor } from './factors.ts'
import { noPasskeys, type Passkeys, type WebauthnJson } from './passkeys.ts'
import type { RelyingPartyFor } from './relying-party.ts'
import { base32Of, findStep, makeTotpSecret, totpAddress } from './totp.ts'

export type FactorRequest = {
  readonly type: FactorType
  readonly name: string | undefined
  readonly place: RequestOrigin
}

/**
 * For the app: the secret in base32, and the address that it reads as a QR code; for the device:
 * what a browser hands on.
 */
export type FactorSetup = { readonly secret: string; readonly address: string } | { readonly options: WebauthnJson }

/** The code of the app, or the device's response. */
export type FactorProof = {
  readonly code: string | undefined
  readonly passkey: WebauthnJson | undefined
  readonly place: RequestOrigin
}

type EnrolmentTicketData = Pick<TicketData['enrol'], 'secret' | 'challenge'>

export type FactorCreation = {
  /** `kept` goes into the ticket. Throws `bad-request` where there are no passkeys. */
  start(
    user: ActiveUser,
    wanted: FactorRequest,
  ): Promise<{ readonly kept: EnrolmentTicketData; readonly handed: FactorSetup }>
  /**
   * The factor to store. Throws `unauthenticated` (`Invalid code`, `Invalid passkey`) and
   * `bad-request`.
   */
  prove(kept: EnrolmentTicketData, shown: FactorProof): Promise<NewFactor['key']>
}

type FactorCreationDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly factors: Factors
  readonly passkeys: Passkeys | undefined
  readonly partyAt: RelyingPartyFor
  readonly publicUrl: string | undefined
}

export function makeFactorCreation({
  storage,
  clock,
  factors,
  passkeys,
  partyAt,
  publicUrl,
}: FactorCreationDeps): FactorCreation {
  function startCodes({ login }: ActiveUser, { host }: RequestOrigin) {
    const secret = makeTotpSecret()
    const issuer = publicUrl === undefined ? hostNameOf(host) : new URL(publicUrl).hostname
    const address = totpAddress(secret, { issuer, account: login })
    return { kept: { secret: secret.toString('base64url') }, handed: { secret: base32Of(secret), address } }
  }

  return {
    async start(user, { type, place }) {
      if (type === 'totp') return startCodes(user, place)
      if (!passkeys) throw noPasskeys()
      const challenge = makeChallenge()
      const { userId, login: account } = user
      const known = await factors.passkeysOf(storage, userId)
      const options = await passkeys.creation(partyAt(place), { challenge, userId, account, known })
      return { kept: { challenge }, handed: { options } }
    },

    async prove({ secret, challenge }, { code, passkey: response, place }) {
      if (secret !== undefined) {
        if (code === undefined) throw fieldError('code', 'is required')
        const step = findStep(Buffer.from(secret, 'base64url'), code, { nowMs: clock(), after: 0 })
        if (step === undefined) throw wrongProof('code')
        return { type: 'totp', totp: { secret, step } }
      }
      if (response === undefined) throw fieldError('passkey', 'is required')
      if (!passkeys) throw noPasskeys()
      const passkey = await passkeys.register({ party: partyAt(place), response, challenge: challenge as string })
      if (!passkey) throw wrongProof('passkey')
      return { type: 'passkey', passkey }
    },
  }
}
