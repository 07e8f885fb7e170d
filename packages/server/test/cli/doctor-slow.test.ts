/**
 * `bindery doctor` lists recent slow statements with their plans, though another process, the
 * server, ran them.
 */
import assert from 'node:assert/strict'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordSlowStatement } from '../../src/service/metrics/slow-statements.ts'
import { databaseOf, startService } from '../../src/testing/index.ts'
import { findingsOf, textOf, ward } from './ward.ts'

const dayMs = 24 * 3_600_000

test('slow statements are told with their plans, for a day', async (t) => {
  const service = await startService(ward, { env: { SLOW_MS: '1' } })
  t.after(() => service.stop())
  const { folder } = service
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const slowOf = async (nowMs = Date.now(), more = {}) => {
    const found = await findingsOf({ env: { ...env, ...more }, nowMs })
    return found.filter(({ check }) => check === 'slow statements').map(textOf)
  }
  for (let i = 0; i < 5_000 && /^ok/.test((await slowOf())[0] ?? 'ok'); i += 1) {
    await service.ask('POST', '/api/v1/racks', { body: { name: `rack ${i}` } })
    await service.ask('GET', `/api/v1/volumes?q=${'word'.repeat(1 + (i % 20))}&sort=title`)
  }
  const lines = await slowOf()
  assert.match(lines[0] ?? '', /^warn slow statements \| .* \| took up to [\d.]+ ms, last at .*; its plan: .+ \| .+/)
  assert.equal(statSync(join(folder, 'slow-statements.json')).mode & 0o777, 0o600)

  recordSlowStatement(folder, { ms: 2_857, statement: 'SELECT 1' }, Date.now())
  recordSlowStatement(folder, { ms: 2_858, statement: 'DELETE FROM bindery_changes WHERE at_ms < ?' }, Date.now())
  const told = await slowOf()
  const held = told.at(-1)
  assert.match(
    held ?? '',
    /^ok slow statements \| DELETE FROM bindery_changes .* 2858 ms at .*held up then\. No index would help \| $/,
  )
  assert.doesNotMatch(told.join('\n'), /SELECT 1 /)
  recordSlowStatement(
    folder,
    { ms: 90_000, statement: 'SELECT 1 FROM racks WHERE id = ?', plan: ['SEARCH racks USING INDEX racks_key (id=?)'] },
    Date.now(),
  )
  assert.match(
    (await slowOf())[0] ?? '',
    /\| It reads by an index, so it waited for the disk, a lock, or a database that was away/,
  )
  rmSync(join(folder, 'slow-statements.json'))

  const plan = ['SCAN volumes']
  for (const ms of [70_000, 9_000, 80_000])
    recordSlowStatement(folder, { ms, statement: 'SELECT 1 FROM volumes', plan }, Date.now())
  for (let i = 0; i < 60; i += 1)
    recordSlowStatement(folder, { ms: 20_000 + i, statement: `SELECT ${i + 2} FROM racks` }, Date.now())
  const [first, second, , more] = await slowOf()
  assert.match(
    first ?? '',
    /\| SELECT 1 FROM volumes \| took up to 80000 ms, .*its plan: SCAN volumes \| .*bindery explain/,
  )
  assert.match(second ?? '', /\| SELECT 61 FROM racks \| took up to 20059 ms, .*its plan: not known/)
  assert.match(more ?? '', /\| 47 more of the last day \| They are in .*slow-statements\.json/)

  assert.deepEqual(await slowOf(Date.now() + dayMs + 1), [
    'ok slow statements | database | none took 1000 ms in the last day | ',
  ])
  assert.match((await slowOf(Date.now() + dayMs + 1, { SLOW_MS: 'off' })).join(), /not measured: SLOW_MS is off/)
})
