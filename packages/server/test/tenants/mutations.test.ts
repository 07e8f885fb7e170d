/** The proof can fail: conditions are taken away one by one, and each is found. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { long } from '../helpers/long.ts'
import { mutations } from './mutations.ts'

const fileOf = (name: string) => import.meta.resolve(`./${name}`)

describe('without a condition the proof finds a difference', { concurrency: 2 }, () => {
  for (const { name } of mutations)
    it(name, long, () => {
      const env = { ...process.env, MUTATION: name, BINDERY_TEST_DATABASE: 'sqlite' }
      const run = spawnSync(
        process.execPath,
        ['--import', fileOf('mutate.ts'), new URL(fileOf('prove-mutated.ts')).pathname],
        { env },
      )
      assert.equal(run.status, 1, `${run.stdout} ${run.stderr}`)
    })
})
