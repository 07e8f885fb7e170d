/** The shop as `npm start` serves it from the root of the project. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeAsk, spawnServer } from 'bindery-server/test'

const root = join(import.meta.dirname, '../../..')

test('npm start serves it, says what is open to anyone, and ends with all its processes', async (t) => {
  // `npm run check` looks at the shop's types too.
  const more = process.env.TEST_LONG ? [] : ['--', '--unchecked']
  const server = spawnServer({ command: ['npm', 'start', ...more], cwd: root })
  // by a signal that npm passes on: killed, it would leave the server behind
  t.after(() => server.stop())
  const ask = makeAsk(await server.ready())
  assert.equal((await ask('POST', '/books', { body: { title: 'T', author: 'A' } })).status, 201)
  const open = server.lines().flatMap(({ level, msg }) => (level === 'warn' ? [msg] : []))
  assert.deepEqual(
    open,
    ['create books', 'replace books', 'update books', 'delete books', 'create users'].map(
      (what) => `Open to anyone: ${what}`,
    ),
  )
  await server.stop()
  assert.match(server.stdout(), /"Stopped"/)
  await assert.rejects(ask('GET', '/livez'), 'nothing is left behind')
})
