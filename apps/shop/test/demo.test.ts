/**
 * `npm run demo`: the data that it creates once, the lines that it prints, and a second start on
 * the same folder.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ask, makeAsk, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from 'bindery-server/test'

const folder = temporaryFolder()
after(() => removeFolder(folder))
const cwd = join(import.meta.dirname, '..')

type Run = { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }

async function runDemo(
  { args = [], env = {} }: Run,
  look: (ask: Ask, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = spawnServer({ command: ['demo/main.ts', ...args], cwd, env: { DATA_DIR: folder, ...env } })
  try {
    await look(makeAsk(await server.ready()), server)
  } finally {
    assert.equal((await server.stop()).code, 0, server.stderr())
  }
}

async function logInAs(ask: Ask, printed: string, role: string): Promise<string> {
  const [, email, password] = new RegExp(`^ +${role} +(\\S+) +(\\S+)$`, 'm').exec(printed) ?? []
  const reply = await ask('POST', '/auth/login', { body: { email, password } })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.accessToken
}

test('the sample is whole, the log-ins that are printed work, and a second start keeps what there is, also where others reach it', async () => {
  await runDemo({}, async (ask, server) => {
    assert.match(server.stdout(), /The sample catalogue is in /)
    for (const role of ['USER', 'EDITOR']) await logInAs(ask, server.stdout(), role)
    const token = await logInAs(ask, server.stdout(), 'ADMIN')
    const total = async (path: string) => (await ask('GET', `/api/v1/${path}`, { token })).body.meta.total
    assert.equal((await ask('GET', '/books')).body.count, 248)
    assert.equal(await total('products'), 1000)
    assert.equal(await total('users'), 13)
    for (const path of ['reviews', 'posts', 'products?q=caf%C3%A9&inStock=true']) assert.ok((await total(path)) > 10)
    assert.ok((await ask('GET', '/messages', { token })).body.data.length > 10)
    const orders = (await ask('GET', '/api/v1/orders?limit=100', { token })).body.data
    assert.equal(orders.length, 30)
    const states = new Set(orders.map(({ status }: { status: string }) => status))
    assert.deepEqual([...states].sort(), ['CANCELLED', 'DELIVERED', 'PAID', 'PENDING', 'SHIPPED'])
    assert.equal(await total('api-keys'), 0, 'the key of the import is gone')
    const book = { title: 'The Dispossessed', author: 'Ursula K. Le Guin', year: 1974 }
    assert.equal((await ask('POST', '/books', { body: book })).status, 201)
  })
  // It refuses to listen where others would know its passwords, unless told.
  const env = { HOST: '0.0.0.0' }
  const refused = spawnServer({ command: ['demo/main.ts'], cwd, env: { DATA_DIR: folder, ...env } })
  assert.equal((await refused.ended).code, 1)
  assert.match(refused.stderr(), /^HOST is 0\.0\.0\.0, where others can reach this server/)
  await runDemo({ args: ['--published-passwords'], env }, async (ask, server) => {
    assert.match(server.stdout(), /The sample catalogue is still in /)
    assert.equal((await ask('GET', '/books')).body.count, 249)
    assert.equal((await ask('GET', '/api/v1/products')).body.meta.total, 1000)
  })
})

test('one that was stopped while it filled its folder says what to do', async () => {
  const half = join(folder, 'half')
  const start = () => spawnServer({ command: ['demo/main.ts'], cwd, env: { DATA_DIR: half } })
  const stopped = start()
  for (let tries = 0; tries < 12_000 && !/Making \d+ books/.test(stopped.stderr()); tries += 1) await sleep(20)
  await stopped.stop('SIGKILL')
  const again = start()
  assert.equal((await again.ended).code, 1)
  assert.equal(
    again.stderr(),
    `The demo was stopped while it filled ${half}: remove it (rm -r ${half}) and start again\n`,
  )
})
