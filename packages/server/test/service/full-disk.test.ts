/** A first start on a full disk: one line says so, and nothing that it leaves behind hinders a later start in the same folder. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onPostgres, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from '../../src/testing/index.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** No file may grow beyond `kilobytes`; the system then refuses writes as it does on a full disk. */
function spawnLimited(name: string, kilobytes?: number): ServerProcess {
  const limit = kilobytes === undefined ? '' : `ulimit -f ${kilobytes}; `
  return spawnServer({
    command: ['bash', '-c', `${limit}exec "${process.execPath}" notes-main.ts`],
    cwd: import.meta.dirname,
    env: { DATA_DIR: join(folder, name), ADMIN_EMAIL: '', ADMIN_PASSWORD: '' },
  })
}

const skip = onPostgres ? 'PostgreSQL has a disk of its own' : false
test('wherever the space runs out', { skip }, async () => {
  const said = new Set<string>()
  for (const kilobytes of [0, 16, 64]) {
    const name = `limit${kilobytes}`
    const server = spawnLimited(name, kilobytes)
    const ready = await server.ready().then(
      () => true,
      () => false,
    )
    if (ready) {
      await server.stop() // the limit was large enough
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
