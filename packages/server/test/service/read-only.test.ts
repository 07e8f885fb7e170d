/**
 * A database that becomes read-only while it is served: reads continue, writes are refused with a
 * message, and the server recovers by itself.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onPostgres, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'

const skip = onPostgres ? 'PostgreSQL has a disk of its own' : false
const folder = temporaryFolder()
after(() => removeFolder(folder))

const start = (dataDir: string): ServerProcess =>
  spawnServer({
    command: [process.execPath, 'notes-main.ts'],
    cwd: import.meta.dirname,
    env: { DATA_DIR: dataDir, ADMIN_EMAIL: '', ADMIN_PASSWORD: '' },
  })

async function startAsking(server: ServerProcess) {
  const address = await server.ready()
  const acknowledged: string[] = []
  return {
    acknowledged,
    /** By the list of notes, or by an endpoint: `jot`. */
    async write(path = 'notes') {
      const reply = await fetch(`${address}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'a note' }),
      })
      const body = (await reply.json()) as { id: string; error?: string }
      if (reply.ok) acknowledged.push(body.id)
      return { status: reply.status, error: body.error, retryAfter: Number(reply.headers.get('retry-after')) }
    },
    async get(path: string) {
      const reply = await fetch(`${address}${path}`)
      return { status: reply.status, body: (await reply.json()) as { status?: string; data?: { id: string }[] } }
    },
  }
}
type Asking = Awaited<ReturnType<typeof startAsking>>

/** Both ways of refusing, all that is still answered, and one line about it. */
async function seeReadOnly({ write, get, acknowledged }: Asking, server: ServerProcess): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    const { status, error, retryAfter } = await write(i % 2 === 0 ? 'notes' : 'jot')
    assert.deepEqual({ status, error }, { status: 503, error: 'The database cannot be written, nothing was changed' })
    assert.ok(retryAfter > 0)
    assert.deepEqual(await get('/readyz'), { status: 503, body: { status: 'read-only' } })
    for (const id of acknowledged) assert.equal((await get(`/api/v1/notes/${id}`)).status, 200)
  }
  await said(server, /cannot be written.*mounted for writing: bindery doctor/)
  const about = server.lines().filter(({ msg }) => String(msg).includes('bindery.db'))
  assert.equal(about.length, 1, JSON.stringify(about))
}

/** The problems that `bindery doctor` reports beside the server. */
function examine(dataDir: string): string {
  const done = spawnSync(process.execPath, ['notes-command.ts', 'doctor', '--json'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  return `${done.stdout}${done.stderr}`
}

/** Lines are written within a quarter of a second. */
async function said(server: ServerProcess, pattern: RegExp): Promise<void> {
  const text = () =>
    server
      .lines()
      .map(({ msg }) => String(msg))
      .join('\n')
  await until(
    () => pattern.test(text()),
    () => `${pattern}: ${text()}`,
  )
}

/**
 * Whether an immutable file refuses writes by those who had it open before, as ext4 does and tmpfs
 * does not.
 */
function refusesOpenFiles(inside: string): boolean {
  const probe = join(inside, 'probe')
  const file = openSync(probe, 'w')
  const isMade = spawnSync('chattr', ['+i', probe]).status === 0
  try {
    writeSync(file, 'a')
    return false
  } catch {
    return isMade
  } finally {
    closeSync(file)
    spawnSync('chattr', ['-i', probe])
    rmSync(probe)
  }
}

test('a file that becomes writable again is written again', { skip }, async (t) => {
  const dataDir = join(folder, 'immutable')
  const server = start(dataDir)
  t.after(() => server.stop('SIGKILL'))
  const asking = await startAsking(server)
  for (let i = 0; i < 3; i += 1) assert.equal((await asking.write()).status, 201)
  assert.equal((await asking.write('jot')).status, 200)
  assert.deepEqual(await asking.get('/readyz'), { status: 200, body: { status: 'ok' } })
  const log = join(dataDir, 'bindery.db-wal')
  if (!refusesOpenFiles(dataDir)) return t.skip('chattr +i refuses no write here: this user, or this file system')
  spawnSync('chattr', ['+i', log])
  const undo = () => spawnSync('chattr', ['-i', log])
  t.after(undo)
  // The server finds it out without any write.
  for (let tries = 0; tries < 400 && (await asking.get('/readyz')).status === 200; tries += 1) await sleep(50)
  await seeReadOnly(asking, server)
  undo()
  assert.deepEqual(await asking.get('/readyz'), { status: 200, body: { status: 'ok' } })
  assert.equal((await asking.write()).status, 201)
  await said(server, /can be written again/)
  for (const id of asking.acknowledged) assert.equal((await asking.get(`/api/v1/notes/${id}`)).status, 200)
})

/**
 * A file system of its own, and what makes the kernel take it for damaged, which mounts it
 * read-only under whoever has it open.
 */
function mountOwn(at: string): { fail(): void; unmount(): void; mount(): void } | undefined {
  const image = `${at}.img`
  writeFileSync(image, '')
  mkdirSync(at)
  const mount = () => {
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, at], { stdio: 'ignore' })
  }
  try {
    execFileSync('truncate', ['-s', '64M', image])
    execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'ignore' })
    mount()
  } catch {
    return undefined
  }
  return {
    mount,
    fail() {
      const devices = execFileSync('losetup', ['-j', image, '-O', 'NAME', '-n'], { encoding: 'utf8' })
        .trim()
        .split('\n')
      const device = basename(devices[0] ?? '')
      assert.ok(devices.length === 1 && /^loop\d+$/.test(device), devices.join())
      writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'a test')
    },
    unmount: () => void spawnSync('umount', [at]),
  }
}

test('a disk that the system has made read-only: what was acknowledged is there after the repair', {
  skip,
}, async (t) => {
  const at = join(folder, 'disk')
  const own = mountOwn(at)
  if (!own) return t.skip('this user may not mount a file system')
  const dataDir = join(at, 'data')
  const server = start(dataDir)
  const started = [server]
  t.after(async () => {
    for (const one of started) await one.stop('SIGKILL')
    own.unmount()
  })
  const asking = await startAsking(server)
  for (let i = 0; i < 20; i += 1) assert.equal((await asking.write()).status, 201)
  assert.equal((await asking.write('jot')).status, 200)
  own.fail()
  await seeReadOnly(asking, server)
  const found = examine(dataDir)
  assert.match(found, /file system is read-only: every write is refused/)
  assert.match(found, /dmesg/)
  await server.stop()
  own.unmount()
  own.mount()
  const again = start(dataDir)
  started.push(again)
  const { get, write } = await startAsking(again)
  for (const id of asking.acknowledged) assert.equal((await get(`/api/v1/notes/${id}`)).status, 200, id)
  assert.equal((await write()).status, 201)
  assert.ok(readFileSync(join(dataDir, 'bindery.db')).length > 0)
  await again.stop()
})
