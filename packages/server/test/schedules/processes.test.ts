/**
 * Three processes on one database look at the same moments, and the test kills two of them. Each
 * moment has one run and none is lost. Another process repeats a run that the kill ended.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'

test('each moment is left once, and has its run, while processes are killed', async (t) => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const [aheadFile, saidFile] = [join(folder, 'ahead'), join(folder, 'said')]
  writeFileSync(aheadFile, '0')
  writeFileSync(saidFile, '')
  const said = (what: string) =>
    readFileSync(saidFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${what} `))
      .map((line) => line.split(' '))
  const start = async (role: string) => {
    const args = [join(import.meta.dirname, 'worker.ts'), aheadFile, saidFile, role]
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
  const runs = () => said('run').length
  const more = async (count: number) => {
    const before = runs()
    await until(() => runs() >= before + count, `${count} more have run`)
  }

  /** While it is alone, it must. */
  const ranBy = (role: string) => until(() => said('run').some(([, , , , by]) => by === role), `${role} has run one`)

  const killOne = await start('one')
  await ranBy('one')
  const killTwo = await start('two')
  await more(6)
  await killOne()
  // The lease of what the killed one had claimed ends
  writeFileSync(aheadFile, '61000')
  await ranBy('two')
  await start('three')
  writeFileSync(aheadFile, '122000')
  await more(8)
  await killTwo()
  writeFileSync(aheadFile, '183000')
  const passed = new Date(Date.now() + 183_000).toISOString()
  await until(
    () =>
      ['seconds', 'fives'].every((name) => said('ended').some(([, of, at]) => of === name && (at as string) > passed)),
    'the last has made up for all',
  )

  for (const [name, stepMs] of [
    ['seconds', 1_000],
    ['fives', 5_000],
  ] as const) {
    const ended = said('ended').filter(([, of]) => of === name)
    const ids = new Map<number, Set<string>>()
    for (const [, , at = '', id = ''] of ended) ids.set(Date.parse(at), (ids.get(Date.parse(at)) ?? new Set()).add(id))
    const moments = [...ids.keys()]
    assert.ok(moments.length > 120_000 / stepMs, `${moments.length} moments of ${name}`)
    assert.deepEqual(
      moments,
      moments.toSorted((a, b) => a - b),
      'one after another',
    )
    const first = moments[0] as number
    assert.deepEqual(
      moments,
      moments.map((_, i) => first + i * stepMs),
      'none is lost',
    )
    assert.deepEqual(
      [...ids].filter(([, one]) => one.size !== 1),
      [],
      'each is left once',
    )
  }
  assert.ok(new Set(said('run').map(([, , , , role]) => role)).size >= 3, 'several processes ran them')
})
