/**
 * While the database is unreachable, the background workers log it once a minute, not at each poll.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEffects } from '../../src/effects/run-effects.ts'
import { limits } from '../../src/limits.ts'
import { dropPostgresDatabase, makePostgresDatabase, sharedCluster, startService } from '../../src/testing/index.ts'
import { kindOf } from '../effects/kinds.ts'
import { startCable } from '../helpers/cable.ts'
import { withMails } from './people.ts'

test('a database that is away is one line of those who run what waits, and one more when it is away again', async (t) => {
  const url = await makePostgresDatabase(sharedCluster(), 'mails_away')
  t.after(() => dropPostgresDatabase(sharedCluster(), 'mails_away'))
  const cable = await startCable(t, url)
  const service = await startService(withMails, { env: { DATABASE_URL: cable.url } })
  t.after(() => service.stop())
  const { storage, clock } = service.service.engine
  const lines: string[] = []
  const effects = startEffects({
    storage,
    kinds: [kindOf('mail', () => assert.fail('nothing is sent here'))],
    clock,
    times: limits.effects,
    report: (line) => void lines.push(line),
  })
  t.after(() => effects.stop())
  const said = () => lines.filter((line) => line.includes('cannot be run now')).length
  for (const times of [1, 2]) {
    cable.pull(true)
    for (let i = 0; i < 4; i += 1) await effects.runDue()
    assert.equal(said(), times)
    cable.pull(false)
    await effects.runDue()
  }
})
