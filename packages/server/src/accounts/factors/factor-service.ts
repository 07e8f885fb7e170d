/** Puts together what there is about second factors. An application that declares none has none of it. */
import type { Clock } from '../../base/clock.ts'
import type { Records } from '../../record/records.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import type { Settings } from '../../resource/rule.ts'
import type { StoredReads } from '../../storage/storage.ts'
import { makeFailures } from '../audit/failures.ts'
import type { FactorMarks, Marks } from '../marks.ts'
import type { Sessions } from '../sessions/session.ts'
import { makeTickets, type Tickets } from '../tokens/ticket.ts'
import { type Enrolment, makeEnrolment } from './enrolment.ts'
import { type FactorLogIn, makeFactorLogIn } from './factor-log-in.ts'
import { type Factors, makeFactors } from './factors.ts'
import { makePasskeys, type Passkeys } from './passkeys.ts'
import { makePartyAt, type PartyAt } from './relying-party.ts'
import { makeSecondStep, type SecondStep } from './second-step.ts'

export type FactorService = {
  readonly stored: Factors
  readonly step: SecondStep
  readonly logIn: FactorLogIn['logIn']
  readonly ask: FactorLogIn['ask']
  readonly enrolment: Enrolment
}

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly secrets: readonly Buffer[]
  readonly sealingSecrets: readonly Buffer[]
  readonly login: Marks['login']
  readonly session: Marks['session']
  readonly marks: Marks
  readonly settings: Settings
  readonly publicUrl: string | undefined
  /** Of pages that may call. */
  readonly corsOrigins: readonly string[]
}

/** What log-ins ask. It comes before them, and the rest after them. */
export type FactorBase = {
  readonly marks: FactorMarks
  readonly stored: Factors
  readonly step: SecondStep
  readonly tickets: Tickets
  readonly passkeys: Passkeys | undefined
  readonly partyAt: PartyAt
}

export function makeFactorBase(parts: Parts, marks: FactorMarks): FactorBase {
  const passkeys = makePasskeys()
  const tickets = makeTickets(parts)
  const stored = makeFactors({ ...parts, secrets: parts.sealingSecrets, marks, passkeys })
  const offered: readonly FactorType[] = passkeys ? ['passkey', 'totp'] : ['totp']
  const step = makeSecondStep({ ...parts, factors: stored, tickets, offered })
  const partyAt = makePartyAt(parts.publicUrl, parts.corsOrigins)
  return { marks, stored, step, tickets, passkeys, partyAt }
}

export function makeFactorService(
  parts: Parts,
  base: FactorBase,
  by: { readonly begin: Sessions['begin'] },
): FactorService {
  const { stored, step } = base
  const failures = makeFailures(parts)
  const all = { ...parts, ...base, ...by, factors: stored, failures }
  const { logIn, ask } = makeFactorLogIn(all)
  return { stored, step, logIn, ask, enrolment: makeEnrolment(all) }
}
