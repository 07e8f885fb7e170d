/**
 * Erases a user in a process of its own, which is killed at a step: `before the copies`, `after the
 * copies` or `after the end` of the transaction.
 */

import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { readConfig } from '../../src/config.ts'
import type { RecordTransaction } from '../../src/record/record-store.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { erasedResources } from './erased-resources.ts'

const [step, userId = ''] = process.argv.slice(2)
const dieAt = (at: string) => {
  if (step === at) process.kill(process.pid, 'SIGKILL')
}

/** The transaction, with the kill around the removal of the copies. */
function dying(tx: RecordTransaction): RecordTransaction {
  return {
    ...tx,
    async eraseCopies(words, emptied) {
      dieAt('before the copies')
      const erased = await tx.eraseCopies(words, emptied)
      dieAt('after the copies')
      return erased
    },
  }
}

const engine = await openEngine(readConfig(process.env), erasedResources)
const resource = engine.catalog.get('user')
const records: typeof engine.records = {
  ...engine.records,
  transaction: (author, work) => engine.records.transaction(author, (tx) => work(dying(tx))),
}
const principal = consolePrincipal(engine.catalog)
await eraseRecord({ ...engine, records }, { resource, where: equal(resource.idField, userId), principal, dry: false })
dieAt('after the end')
