/**
 * Two processes on one database: each effect runs once, in order for its key. After a process is
 * killed, the other runs the effects that it had claimed.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'
import { readConfig } from '../../src/config.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { NewEffect } from '../../src/storage/stored-effects.ts'
import { until } from '../helpers/until.ts'
import { libraryCatalog, tester } from '../storage/library.ts'

const leftOf = (kind: string, name: string, payload: object = {}): NewEffect => {
  const inOrder = kind === 'lines'
  const given = JSON.stringify({ name, ...payload })
  return { id: name, kind, key: name[0] ?? null, inOrder, dueMs: 0, leftMs: 0, payload: given, context: null }
}

test('a process that is killed loses nothing, and none is run twice before', async (t) => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const [clockFile, saidFile] = [join(folder, 'clock'), join(folder, 'said')]
  const turnTo = (ms: string) => {
    writeFileSync(`${clockFile}.new`, ms)
    renameSync(`${clockFile}.new`, clockFile)
  }
  turnTo('1000')
  writeFileSync(saidFile, '')
  const storage = await openStorage(readConfig(env).database, libraryCatalog, { heldMs: 0, making: 'fresh' })
  t.after(() => storage.close())
  const leave = (effects: readonly NewEffect[]) =>
    storage.transaction(tester, (writing) => writing.leaveEffects(effects))
  const said = (what: string) =>
    readFileSync(saidFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${what} `))
      .map((line) => line.split(' ') as [string, string, string])
  const start = async (role: string) => {
    const args = [join(import.meta.dirname, 'worker.ts'), clockFile, saidFile, role]
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    t.after(kill)
    await until(() => said('ready').some(([, name]) => name === role), `${role} is ready`)
    return kill
  }

  const killOne = await start('one')
  const names = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']
  await leave(names.map((name) => leftOf('lines', name, { hangsFor: 'one' })))
  await until(() => said('charged').length === 3, 'the first of each line runs')
  assert.deepEqual(
    said('start')
      .map(([, name]) => name)
      .toSorted(),
    ['a1', 'b1', 'c1'],
  )

  await start('two')
  const plain = Array.from({ length: 60 }, (_, i) => `p${i}`)
  for (const name of plain) await leave([leftOf('plain', name)])
  await until(() => said('end').length === plain.length, 'all that hang in none have run')
  assert.deepEqual(
    said('end')
      .map(([, name]) => name)
      .toSorted(),
    plain.toSorted(),
  )

  await until(async () => (await storage.effects.count('plain', 1)) === 0, 'their ends are written')

  await killOne()
  turnTo('61001')
  await until(() => said('end').length === plain.length + names.length, 'the other one has run the rest')
  const lines = said('end').slice(plain.length)
  assert.ok(lines.every(([, , role]) => role === 'two'))
  for (const key of ['a', 'b', 'c'])
    assert.deepEqual(
      lines.map(([, name]) => name).filter((name) => name.startsWith(key)),
      [`${key}1`, `${key}2`, `${key}3`],
    )
  const charged = said('charge').map(([, name]) => name)
  assert.equal(new Set(charged).size, charged.length, 'a step that had ended is not repeated')
  assert.deepEqual(said('report'), [])
  await until(async () => (await storage.effects.depths(0)).length === 0, 'nothing is left')
})
