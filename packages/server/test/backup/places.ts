/** Shared steps of the backup tests: databases with records, backups of them, and restores. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bindery } from '../cli/bindery.ts'
import type { TestService } from '../helpers/application.ts'

export const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tar.zst'))
export const there = (folder: string) => ({
  env: { DATABASE_URL: `sqlite:${join(folder, 'bindery.db')}`, DATA_DIR: folder },
})

export async function ran(bindery: Bindery, args: readonly string[], options = {}) {
  const { code, stdout, stderr } = await bindery.run([...args, '--json'], options)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

export async function refused(bindery: Bindery, args: readonly string[], options = {}): Promise<string> {
  const { code, stderr } = await bindery.run(args, options)
  assert.notEqual(code, 0)
  assert.doesNotMatch(stderr, /\(unexpected;|\n {4}at /)
  return stderr
}

/** A folder of the test in which nothing is yet. */
export function emptyFolder(bindery: Bindery, name: string): string {
  mkdirSync(bindery.path(name))
  return bindery.path(name)
}

/** Creates editions, so many a second, until it is stopped. Returns when each was acknowledged. */
export function startWriting(service: TestService, token: string, everyMs = 20) {
  const acknowledged: { id: string; atMs: number }[] = []
  let stopped = false
  const writing = (async () => {
    for (let i = 0; !stopped; i += 1) {
      const answer = await service.ask('POST', '/api/v1/editions', { body: { title: `W ${i}`, price: 1 }, token })
      assert.equal(answer.status, 201)
      acknowledged.push({ id: answer.body.id, atMs: Date.now() })
      await sleep(everyMs)
    }
  })()
  return {
    acknowledged,
    async stop() {
      stopped = true
      await writing
    },
  }
}

/** The ids of all editions in a folder that no server has open. */
export function idsIn(folder: string): Set<string> {
  const database = new DatabaseSync(join(folder, 'bindery.db'))
  const ids = database.prepare('SELECT id FROM editions').all() as { id: string }[]
  database.close()
  return new Set(ids.map(({ id }) => id))
}
