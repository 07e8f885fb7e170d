/**
 * All steps of writes that accounts bring, in the order in which they run. `service/open-engine.ts`
 * hands them to the engine.
 */
import type { Step } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Settings } from '../resource/rule.ts'
import { auditSteps } from './audit/audit-writes.ts'
import { removeFactors } from './factors/remove-factors.ts'
import type { Identity } from './identity.ts'
import { keyLimits } from './keys/key-limits.ts'
import { hashPasswords, tokensOfRecords } from './passwords/secrets-of-records.ts'
import { completeLetters } from './recovery/complete-letters.ts'
import { proveAddresses } from './recovery/prove-address.ts'
import { sendLetters } from './recovery/send-letters.ts'
import { endSessions } from './sessions/end-sessions.ts'
import { countSignUps } from './users/count-sign-ups.ts'
import { givenRoles } from './users/given-roles.ts'
import { keepOperators } from './users/keep-operators.ts'
import { ownCredentials } from './users/own-credentials.ts'

export type Known = {
  readonly catalog: Catalog
  readonly settings: Settings
  /** Called when a step runs: identity itself writes through the records that have these steps. */
  readonly identity: () => Identity
  /** Whether it takes as long to judge a password as to hash it. */
  readonly judgesLong: boolean
}

/** A caller's values are judged first where that is cheap, and counted first where it is not. */
export function accountSteps(known: Known): Step[] {
  const { catalog, judgesLong, identity } = known
  const { login, apiKey, factor, outgoingMail, roles } = catalog
  const signUps = login ? [countSignUps(login, known)] : []
  return [
    ...(judgesLong ? signUps : []),
    ...(apiKey ? [keyLimits(catalog, apiKey)] : []),
    ...(login ? [givenRoles({ login, roles })] : []),
    hashPasswords(known),
    ...(judgesLong ? [] : signUps),
    tokensOfRecords(catalog),
    ...(login ? [ownCredentials(login, identity), proveAddresses(login, known)] : []),
    ...(login && factor ? [removeFactors({ login, factor, identity })] : []),
    ...(outgoingMail ? [completeLetters(outgoingMail)] : []),
    ...(login ? [keepOperators({ login, roles })] : []),
    ...auditSteps(catalog),
    ...(login ? [endSessions(login), sendLetters(login)] : []),
  ]
}
