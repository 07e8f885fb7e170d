/** Assembles the parts of second factors. An application that declares none has none of them. */
import type { Clock } from '../../base/clock.ts'
import type { RecordStore } from '../../record/record-store.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { makeFailureAudit } from '../audit/failures.ts'
import type { FactorTables, IdentityTables } from '../identity-tables.ts'
import type { SessionService } from '../sessions/session.ts'
import { makeTickets, type Tickets } from '../tokens/ticket.ts'
import { type Enrolment, makeEnrolment } from './enrolment.ts'
import { type FactorLogIn, makeFactorLogIn } from './factor-log-in.ts'
import { type Factors, makeFactors } from './factors.ts'
import { makePasskeys, type Passkeys } from './passkeys.ts'
import { makeRelyingPartyFor, type RelyingPartyFor } from './relying-party.ts'
import { makeSecondStep, type SecondStep } from './second-step.ts'

export type FactorService = {
  readonly stored: Factors
  readonly step: SecondStep
  readonly logIn: FactorLogIn['logIn']
  readonly ask: FactorLogIn['ask']
  readonly enrolment: Enrolment
  readonly offersPasskeys: boolean
}

type FactorServiceDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly records: RecordStore
  readonly secrets: readonly Buffer[]
  readonly sealingSecrets: readonly Buffer[]
  readonly login: IdentityTables['login']
  readonly session: IdentityTables['session']
  readonly marks: IdentityTables
  readonly settings: ServiceSettings
  readonly publicUrl: string | undefined
  /** Of pages that may call. */
  readonly corsOrigins: readonly string[]
}

/** The parts that log-ins need. They are made before log-ins, and the rest after them. */
export type FactorCore = {
  readonly marks: FactorTables
  readonly stored: Factors
  readonly step: SecondStep
  readonly tickets: Tickets
  readonly passkeys: Passkeys | undefined
  readonly partyAt: RelyingPartyFor
}

export function makeFactorCore(deps: FactorServiceDeps, marks: FactorTables): FactorCore {
  const passkeys = makePasskeys()
  const tickets = makeTickets(deps)
  const stored = makeFactors({ ...deps, secrets: deps.sealingSecrets, marks, passkeys })
  const offered: readonly FactorType[] = passkeys ? ['passkey', 'totp'] : ['totp']
  const step = makeSecondStep({ ...deps, factors: stored, tickets, offered })
  const partyAt = makeRelyingPartyFor(deps.publicUrl, deps.corsOrigins)
  return { marks, stored, step, tickets, passkeys, partyAt }
}

export function makeFactorService(
  deps: FactorServiceDeps,
  base: FactorCore,
  by: { readonly begin: SessionService['begin'] },
): FactorService {
  const { stored, step } = base
  const failures = makeFailureAudit(deps)
  const all = { ...deps, ...base, ...by, factors: stored, failures }
  const { logIn, ask } = makeFactorLogIn(all)
  return { stored, step, logIn, ask, enrolment: makeEnrolment(all), offersPasskeys: base.passkeys !== undefined }
}
