/**
 * Pending effects on the command line: listed, retried, given up and removed; and the findings of
 * `bindery doctor` about them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseOf } from 'bindery-server/test'
import { readConfig } from '../../src/config.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import type { ClaimedEffect } from '../../src/storage/stored-effects.ts'
import { resources } from '../application/resources/index.ts'
import { makeBindery } from './bindery.ts'

/** The kinds that are there: this application has no mails, and declares no effects. */
const kinds = ['paint']
const day = 24 * 60 * 60_000

test('an operator sees what waits and decides about what was given up', async (t) => {
  const bindery = makeBindery(t)
  await bindery.run(['migrate'])
  const env = { DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)) }
  const { records, storage } = await openEngine(readConfig(env), resources)
  const left = [
    { kind: 'weigh', key: 'a', inOrder: true, payload: { stone: 1 } },
    { kind: 'weigh', key: 'a', inOrder: true, payload: { stone: 2 } },
    { kind: 'paint', payload: { wall: 3 }, dueMs: 0 },
  ]
  await records.transaction(serviceAuthor, (tx) => tx.leave(...left))
  const lease = {
    holder: 'one',
    leaseMs: 1,
    limit: 1,
    fromMs: 0,
    withLost: true,
    nowMs: Date.now() + day,
    inOrder: true,
  }
  const [claimed] = (await storage.effects.claim({ kind: 'weigh', ...lease })) as [ClaimedEffect]
  await storage.effects.keepSteps('one', claimed, '[["find",["A-1","A-2"]],["tell"]]')
  const givenUp = [{ ...claimed, error: 'too heavy' }]
  await storage.effects.settle('one', { done: [], later: [], givenUp }, Date.now())
  await storage.close()

  const listed = await bindery.values('effects', 'list')
  assert.deepEqual(
    listed.map(({ kind, key, state, tries, error }) => [kind, key, state, tries, error]),
    [
      ['weigh', 'a', 'given-up', 1, 'too heavy'],
      ['weigh', 'a', 'waiting', 0, null],
      ['paint', null, 'waiting', 0, null],
    ],
  )
  const [first, second, paint] = listed.map(({ id }) => String(id)) as [string, string, string]
  const table = await bindery.run(['effects', 'list', '--state', 'given-up'])
  assert.match(
    table.stdout,
    /^ID +KIND +KEY +STATE +TRIES +DUE AT +ERROR\n\S+ +weigh +a +given-up +1 +\S+ +too heavy\n$/,
  )
  const [shown] = await bindery.values('effects', 'show', first)
  assert.deepEqual([shown?.payload, shown?.error], [{ stone: 1 }, 'too heavy'])
  const people = await bindery.run(['effects', 'show', first])
  assert.match(people.stdout, /^steps +\["find",\["A-1","A-2"\]\], \["tell"\]$/m)
  assert.deepEqual(shown?.context, { userId: null, role: null, credential: 'service', depth: 1 })

  const findings = (await bindery.run(['doctor', '--json'])).stdout
  const told = (JSON.parse(findings) as { findings: { check: string; where: string; what: string }[] }).findings
  assert.deepEqual(
    told.filter(({ check }) => check === 'effects').map(({ where, what }) => [where, what]),
    [
      ['effects of paint', '1 effect is due for more than 10 minutes, and nothing runs them'],
      ['effects of weigh', '1 effect is given up, one of them for: too heavy'],
    ],
  )

  const said = async (...args: string[]) => {
    const { stdout, stderr, code } = await bindery.run(['effects', ...args])
    return code === 0 ? stdout : stderr
  }
  const taken = 'tried again: a running server takes them within ten seconds.\n'
  assert.equal(await said('retry', first), `1 effect ${taken}`)
  const order = async () => (await bindery.values('effects', 'list')).map(({ id }) => id)
  assert.deepEqual(await order(), [second, paint, first], 'at the end of its line')
  assert.equal(await said('remove', first), '0 effects removed.\n')
  assert.equal(await said('give-up', '--kind', 'weigh'), '2 effects given up.\n')
  const errors = async () => (await bindery.values('effects', 'list', '--kind', 'weigh')).map(({ error }) => error)
  const kept = ['Given up by an operator', 'Given up by an operator; before: too heavy']
  assert.deepEqual(await errors(), kept)
  assert.equal(await said('retry', '--kind', 'weigh'), `2 effects ${taken}`)
  assert.equal(await said('give-up', '--kind', 'weigh'), '2 effects given up.\n')
  assert.deepEqual(await errors(), kept, 'with the first cause')
  for (const command of ['show', 'retry', 'give-up', 'remove']) {
    const { code, stderr } = await bindery.run(['effects', command, ''])
    assert.deepEqual([code, /^error: the argument ids? is empty\n$/.test(stderr)], [2, true], stderr)
  }
  assert.equal(await said('remove', '--all'), '2 effects removed.\n')
  assert.deepEqual(await order(), [paint])
  assert.match(await said('retry'), /say which, by one of: their ids, --kind, or --all/)
  assert.match(await said('show', first), /There is no effect/)
  for (const command of ['list', 'retry', 'give-up', 'remove']) {
    const { code, stderr } = await bindery.run(['effects', command, '--kind', 'pain'])
    assert.deepEqual([code, stderr], [2, `error: unknown kind of effects pain; there are ${kinds.join(', ')}\n`])
  }
  assert.equal(await said('retry', '--kind', kinds[0] as string), `0 effects ${taken}`)
  assert.match(await said('list', '--state', 'lazy'), /--state is one of waiting, behind/)
})
