/** The proof can fail: conditions are taken away one by one, and each is found. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { long } from '../helpers/long.ts'
import { mutated, mutations } from './mutations.ts'
import { foundDifference } from './proof.ts'

const fileOf = (name: string) => import.meta.resolve(`./${name}`)

describe('without a condition the proof finds a difference', { concurrency: 2 }, () => {
  it('each condition is in the engine once', () => {
    for (const one of mutations) mutated(one, readFileSync(new URL(`../../src/${one.file}`, import.meta.url), 'utf8'))
  })

  for (const { name, found } of mutations)
    it(name, long, () => {
      const env = { ...process.env, MUTATION: name, BINDERY_TEST_DATABASE: 'sqlite' }
      const run = spawnSync(
        process.execPath,
        ['--import', fileOf('mutate.ts'), new URL(fileOf('prove-mutated.ts')).pathname],
        { env, encoding: 'utf8' },
      )
      assert.equal(run.status, foundDifference, `${run.stdout} ${run.stderr}`)
      assert.match(run.stdout.split('\n', 1)[0] ?? '', found)
    })
})
