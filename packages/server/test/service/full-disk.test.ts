/** A first start on a disk that takes no more: one line that says so, and a later start on the same folder that finds nothing in its way. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onPostgres, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from '../../src/testing/index.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** `blocks`: no file may grow beyond so many kilobytes, which the system refuses as it refuses to write on a full disk. */
function spawnLimited(name: string, kilobytes?: number): ServerProcess {
  const limit = kilobytes === undefined ? '' : `ulimit -f ${kilobytes}; `
  return spawnServer({
    command: ['bash', '-c', `${limit}exec "${process.execPath}" notes-main.ts`],
    cwd: import.meta.dirname,
    env: { DATA_DIR: join(folder, name), ADMIN_EMAIL: '', ADMIN_PASSWORD: '' },
  })
}

const skip = onPostgres ? 'PostgreSQL has a disk of its own' : false
test('wherever the room ends', { skip }, async () => {
  const said = new Set<string>()
  for (const kilobytes of [0, 16, 64]) {
    const name = `limit${kilobytes}`
    const server = spawnLimited(name, kilobytes)
    const ready = await server.ready().then(
      () => true,
      () => false,
    )
    if (ready) {
      await server.stop() // room enough
      continue
    }
    assert.equal((await server.ended).code, 1, `${kilobytes} kB: ${server.stderr()}`)
    const lines = server.stderr().trimEnd().split('\n')
    assert.equal(lines.length, 1, `${kilobytes} kB: ${server.stderr()}`)
    assert.match(lines[0] ?? '', /^Cannot (open the database|write|make|start)/)
    said.add((lines[0] ?? '').replaceAll(join(folder, name), ''))
    const later = spawnLimited(name)
    await later.ready()
    assert.match(later.stderr(), /^First ADMIN: .* \(shown once\)\n$/)
    assert.equal((await later.stop()).code, 0)
  }
  assert.ok(said.size > 0, 'no limit was small enough')
})
