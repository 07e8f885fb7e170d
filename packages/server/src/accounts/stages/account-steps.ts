/** All steps of writes that accounts bring, in the order in which they run. `service/open-engine.ts` hands them to the engine. */
import type { Step } from '../../record/stages.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { auditSteps } from './audit-writes.ts'
import { completeLetters } from './complete-letters.ts'
import { endSessions } from './end-sessions.ts'
import { keepOperators } from './keep-operators.ts'
import { sendLetters } from './send-letters.ts'

/** None in an application without users. */
export function accountSteps(catalog: Catalog): Step[] {
  const { login, outgoingMail } = catalog
  return [
    ...(outgoingMail ? [completeLetters(outgoingMail)] : []),
    ...(login ? [keepOperators(login)] : []),
    ...auditSteps(catalog),
    ...(login ? [endSessions(login), sendLetters(login)] : []),
  ]
}
