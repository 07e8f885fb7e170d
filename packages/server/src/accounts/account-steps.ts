/**
 * All write steps of accounts, in the order in which they run. `service/open-engine.ts` gives them
 * to the engine.
 */
import type { Guard } from '../record/guard/guarded-code.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { auditSteps } from './audit/audit-writes.ts'
import { accountEffects } from './code/account-effects.ts'
import { beforeSignUps } from './code/run-account-hooks.ts'
import { removeFactors } from './factors/remove-factors.ts'
import type { Identity } from './identity.ts'
import { keyLimits } from './keys/key-limits.ts'
import { drawRecordTokens, hashPasswords } from './passwords/secrets-of-records.ts'
import { completeMails } from './recovery/complete-mails.ts'
import { proveAddresses } from './recovery/prove-address.ts'
import { queueAccountMails } from './recovery/queue-mails.ts'
import { endSessions } from './sessions/end-sessions.ts'
import { limitSignUps } from './users/count-sign-ups.ts'
import { checkGrantedRoles } from './users/granted-roles.ts'
import { keepLastOperator } from './users/last-operator.ts'
import { ownCredentials } from './users/own-credentials.ts'

export type AccountStepDeps = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  readonly guard: Guard
  /** Called when a step runs: identity itself writes through the records that have these steps. */
  readonly identity: () => Identity
  /** Whether it takes as long to judge a password as to hash it. */
  readonly judgesLong: boolean
}

/** Values of a caller are judged first where that is cheap, and counted first where it is not. */
export function accountSteps(known: AccountStepDeps): WriteStep[] {
  const { catalog, judgesLong, identity, guard } = known
  const { login, apiKey, factor, outgoingMail, roles } = catalog
  const signUps = login ? [limitSignUps(login, known)] : []
  return [
    ...(login ? beforeSignUps(login, guard) : []),
    ...(judgesLong ? signUps : []),
    ...(apiKey ? [keyLimits(catalog, apiKey)] : []),
    ...(login ? [checkGrantedRoles({ login, roles })] : []),
    hashPasswords(known),
    ...(judgesLong ? [] : signUps),
    drawRecordTokens(catalog),
    ...(login ? [ownCredentials(login, identity), proveAddresses(login, known)] : []),
    ...(login && factor ? [removeFactors({ login, factor, identity })] : []),
    ...(outgoingMail ? [completeMails(outgoingMail)] : []),
    ...(login ? [keepLastOperator({ login, roles })] : []),
    ...auditSteps(catalog),
    ...(login ? [endSessions(login), queueAccountMails(login), ...accountEffects(login)] : []),
  ]
}
