/**
 * No rule binds the console. Commands work on users, keys, sessions and records whose declarations
 * have no such operation, and on records that only their owner may get.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { runInProcess } from './in-process.ts'

const main = join(import.meta.dirname, '../accounts/bare-command.ts')

test('commands need no declared operation', async (t) => {
  const folder = temporaryFolder()
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...(await databaseOf(folder)) }
  const says = async (...args: string[]) => {
    const { code, stdout, stderr } = await runInProcess({ main, args, env })
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const value = async (...args: string[]) => JSON.parse(await says(...args, '--json'))
  await says('migrate')
  const made = await value('user', 'create', '--email', 'ann@example.com')
  assert.equal((await value('user', 'set', 'ann@example.com', '--role', 'CURATOR')).role, 'CURATOR')
  assert.equal((await value('user', 'set', made.id, '--email', 'c@x.example')).email, 'c@x.example')
  assert.match(await says('user', 'list', '--role', 'CURATOR'), /c@x\.example/)
  assert.equal(await says('sessions', 'end', '--user', 'c@x.example'), '0 sessions ended.\n')
  const empty = await runInProcess({ main, args: ['sessions', 'end', '--user', ''], env })
  assert.deepEqual([empty.code, empty.stderr], [2, 'error: the e-mail or id of the user is empty\n'])
  const key = await value('key', 'create', '--user', 'c@x.example', '--name', 'ci')
  assert.equal((await value('key', 'list', '--user', 'c@x.example')).user, 'c@x.example')
  assert.equal((await value('key', 'revoke', key.id)).active, false)

  const lines = join(folder, 'notes.ndjson')
  writeFileSync(lines, `${JSON.stringify({ title: 'A', checked: 'yes', ownerId: made.id })}\n`)
  await says('import', 'notes', lines)
  const note = JSON.parse(await says('export', 'notes'))
  assert.deepEqual([note.title, note.checked, note.ownerId], ['A', 'yes', made.id])
  writeFileSync(lines, `${JSON.stringify({ ...note, title: 'B', checked: 'no' })}\n`)
  await says('import', 'notes', lines)
  const changed = JSON.parse(await says('export', 'notes', '--where', 'title=B'))
  assert.deepEqual([changed.id, changed.checked], [note.id, 'no'])
  await says('import', 'users', '--dry-run', await exported('users'))
  assert.match(await says('remove', 'notes', note.id), /removed/)
  assert.match(await says('remove', 'api-keys', key.id), /removed/)

  async function exported(word: string): Promise<string> {
    const file = join(folder, `${word}.ndjson`)
    await says('export', word, file)
    return file
  }
})
