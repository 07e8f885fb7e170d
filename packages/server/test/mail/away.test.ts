/** While the database is away, the sender of mails says so once a minute, not at each of its tries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSmtpTransport } from '../../src/mail/transport.ts'
import { startPost } from '../../src/service/post.ts'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  recordingLog,
  sharedCluster,
  startService,
} from '../../src/testing/index.ts'
import { startCable } from '../helpers/cable.ts'
import { withMails } from './people.ts'

test('a database that is away is one line of the sender of mails, and one more when it is away again', async (t) => {
  const url = await makePostgresDatabase(sharedCluster(), 'mails_away')
  t.after(() => dropPostgresDatabase(sharedCluster(), 'mails_away'))
  const cable = await startCable(t, url)
  const service = await startService(withMails, { env: { DATABASE_URL: cable.url } })
  t.after(() => service.stop())
  const { engine } = service.service
  const { outgoingMail: mails } = engine.catalog
  assert.ok(mails)
  const lines: string[] = []
  const post = startPost({
    engine,
    mails,
    recovery: engine.identity.recovery,
    texts: { write: () => assert.fail('nothing is sent here') },
    from: 'a@b.example',
    links: '',
    log: recordingLog(lines),
    transport: makeSmtpTransport('smtp://127.0.0.1:9'),
  })
  t.after(() => post.stop())
  const said = () => lines.filter((line) => line.includes('Mails cannot be sent now')).length
  for (const times of [1, 2]) {
    cable.pull(true)
    for (let i = 0; i < 4; i += 1) await post.sendDue()
    assert.equal(said(), times)
    cable.pull(false)
    await post.sendDue()
  }
})
