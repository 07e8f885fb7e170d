/**
 * All steps of writes that accounts bring, in the order in which they run. `service/open-engine.ts`
 * hands them to the engine.
 */
import type { Step } from '../../record/stages.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { Settings } from '../../resource/rule.ts'
import type { Identity } from '../identity.ts'
import { auditSteps } from './audit-writes.ts'
import { completeLetters } from './complete-letters.ts'
import { countSignUps } from './count-sign-ups.ts'
import { endSessions } from './end-sessions.ts'
import { givenRoles } from './given-roles.ts'
import { keepOperators } from './keep-operators.ts'
import { keyLimits } from './key-limits.ts'
import { ownCredentials } from './own-credentials.ts'
import { proveAddresses } from './prove-address.ts'
import { removeFactors } from './remove-factors.ts'
import { hashPasswords, tokensOfRecords } from './secrets-of-records.ts'
import { sendLetters } from './send-letters.ts'

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
