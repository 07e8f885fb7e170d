/**
 * Changes on one instance hold on all of them: ended credentials within a second, even if
 * connections are cut; limits and totals at once.
 */
import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  type AskOptions,
  adminEmail,
  password,
  runSql,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/application.ts'
import { type Instances, startInstances, until } from './instances.ts'

const v1 = '/api/v1'
const withinMs = 1000

/** A proxy that can cut connections silently: bytes stop, but the sockets stay open. */
async function startFreezer(target: URL): Promise<{ url: string; freeze(): void; stop(): void }> {
  const sockets = new Set<Socket>()
  let frozen = false
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (bytes) => void (frozen || to.write(bytes)))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    freeze() {
      frozen = true
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A way to end a credential on one instance, and the status that the others then return. */
type Ending = {
  readonly what: string
  readonly by: 'token' | 'key'
  end(service: TestService, person: TestPerson, keyId: string): Promise<{ status: number }>
  readonly answers: number
}
const endings: readonly Ending[] = [
  {
    what: 'a log-out',
    by: 'token',
    end: ({ ask }, { refreshToken }) => ask('POST', '/auth/logout', { cookie: `refreshToken=${refreshToken}` }),
    answers: 401,
  },
  {
    what: 'a barring',
    by: 'token',
    end: async (service, { id }) =>
      service.ask('POST', `${v1}/members/${id}/bar`, { token: (await service.admin()).token }),
    answers: 401,
  },
  {
    what: 'a deletion',
    by: 'token',
    end: async (service, { id }) =>
      service.ask('DELETE', `${v1}/members/${id}`, { token: (await service.admin()).token }),
    answers: 401,
  },
  {
    what: 'a demotion',
    by: 'token',
    end: async (service, { id }) =>
      service.ask('PATCH', `${v1}/members/${id}`, { body: { role: 'USER' }, token: (await service.admin()).token }),
    answers: 403,
  },
  {
    what: 'a changed password',
    by: 'token',
    end: async (service, { id }) =>
      service.ask('PATCH', `${v1}/members/${id}`, {
        body: { password: 'another horse' },
        token: (await service.admin()).token,
      }),
    answers: 401,
  },
  {
    what: 'a deactivated key',
    by: 'key',
    end: ({ ask }, { token }, keyId) => ask('PATCH', `${v1}/access-keys/${keyId}`, { body: { active: false }, token }),
    answers: 401,
  },
  {
    what: 'a revoked key',
    by: 'key',
    end: ({ ask }, { token }, keyId) => ask('DELETE', `${v1}/access-keys/${keyId}`, { token }),
    answers: 401,
  },
]

type Disturb = () => Promise<void>

/** Returns after how many milliseconds every other instance knew. */
async function endedMs({ what, by, end, answers }: Ending, instances: Instances, disturb: Disturb): Promise<number> {
  const [first, ...others] = instances.all as [TestService, ...TestService[]]
  const person = await first.person('EDITOR')
  const made = await first.ask('POST', `${v1}/access-keys`, { body: { name: 'k' }, token: person.token })
  const credential: AskOptions = by === 'key' ? { key: made.body.key } : { token: person.token }
  // An EDITOR may list the loans. Each instance has looked the credential up once, and remembers
  // it.
  const status = async (service: TestService) => (await service.ask('GET', `${v1}/loans`, credential)).status
  for (const service of instances.all) assert.equal(await status(service), 200, what)
  await disturb()
  assert.ok((await end(first, person, made.body.id)).status < 300, what)
  assert.equal(await status(first), answers, `${what}, where it was done`)
  const took = await Promise.all(
    others.map((service) =>
      until(async () => assert.equal(await status(service), answers, `${what}, on another instance`)),
    ),
  )
  return Math.max(...took)
}

async function checkEndings(instances: Instances, disturb: Disturb): Promise<void> {
  for (const ending of endings) {
    const took = await endedMs(ending, instances, disturb)
    // A machine that stood still for a moment hardly does so each time.
    const tries = [took]
    while ((tries.at(-1) as number) >= withinMs && tries.length < 5)
      tries.push(await endedMs(ending, instances, disturb))
    assert.ok((tries.at(-1) as number) < withinMs, `${ending.what}: ${tries} ms`)
  }
}

describe('three instances', () => {
  let instances: Instances
  before(async () => {
    instances = await startInstances(3)
  })
  after(() => instances.stop())

  it('made one database and one ADMIN, though they started together', async () => {
    const { token } = await instances.next().admin()
    const members = await instances.next().ask('GET', `${v1}/members`, { token })
    assert.deepEqual(
      members.body.data.map((member: { email: string }) => member.email),
      [adminEmail],
    )
  })

  it('accept each other’s tokens without a JWT_SECRET', async () => {
    const { token } = await (instances.all[0] as TestService).person()
    for (const { ask } of instances.all) assert.equal((await ask('GET', `${v1}/access-keys`, { token })).status, 200)
  })

  it('know within a second what ended on another', () => checkEndings(instances, async () => undefined))

  it('know it also when the connections that ask are cut off', () =>
    checkEndings(instances, async () => {
      await runSql(
        instances.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_snapshot_xmin%' AND pid <> pg_backend_pid()",
      )
    }))

  it('count failed log-ins together', async () => {
    const body = { email: 'guessed@example.com', password: 'wrong' }
    const login = () => instances.next().ask('POST', '/auth/login', { body })
    for (let i = 0; i < 10; i += 1) assert.equal((await login()).status, 401)
    for (let i = 0; i < 3; i += 1) {
      const refused = await login()
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
    }
  })

  it('tell exact totals at once, whoever wrote', async () => {
    const editor = await (instances.all[0] as TestService).person('EDITOR')
    const path = `${v1}/editions?subject=Counted&limit=2`
    for (let made = 0; made < 30; made += 1) {
      for (const { ask } of instances.all) assert.equal((await ask('GET', path)).body.meta.total, made)
      const body = { title: `P${made}`, price: 1, subject: 'Counted' }
      assert.equal((await instances.next().ask('POST', `${v1}/editions`, { body, token: editor.token })).status, 201)
    }
  })

  it('keep totals exact while others write', async () => {
    const editor = await (instances.all[0] as TestService).person('EDITOR')
    const path = `${v1}/editions?subject=Moving&limit=1`
    let acknowledged = 0
    let sent = 0
    let writing = true
    const write = async () => {
      for (; sent < 120; ) {
        sent += 1
        const body = { title: `M${sent}`, price: 1, subject: 'Moving' }
        const made = await instances.next().ask('POST', `${v1}/editions`, { body, token: editor.token })
        assert.equal(made.status, 201)
        acknowledged += 1
      }
      writing = false
    }
    const read = async () => {
      while (writing) {
        const least = acknowledged
        const { total } = (await instances.next().ask('GET', path)).body.meta
        assert.ok(total >= least && total <= sent, `${total} is not from ${least} to ${sent}`)
      }
    }
    await Promise.all([write(), write(), read(), read()])
    for (const { ask } of instances.all) assert.equal((await ask('GET', path)).body.meta.total, 120)
  })
})

describe('RATE_LIMIT', () => {
  it('is one limit for all instances', async () => {
    const instances = await startInstances(3, { RATE_LIMIT: '20/60m' })
    try {
      const replies = await Promise.all(Array.from({ length: 30 }, () => instances.next().ask('GET', '/shelves')))
      assert.equal(replies.filter(({ status }) => status === 200).length, 20)
    } finally {
      await instances.stop()
    }
  })
})

describe('an instance whose database does not answer and is not told so', () => {
  it('stops trusting its memory within a second', async () => {
    const seeing = await startInstances(1)
    const freezer = await startFreezer(new URL(seeing.url))
    const blind = await startService({ DATABASE_URL: freezer.url })
    try {
      const [first] = seeing.all as [TestService]
      const person = await first.person('EDITOR')
      const ask = async (service: TestService) =>
        (await service.ask('GET', `${v1}/access-keys`, { token: person.token })).status
      assert.deepEqual([await ask(first), await ask(blind)], [200, 200])
      freezer.freeze()
      const cookie = `refreshToken=${person.refreshToken}`
      assert.equal((await first.ask('POST', '/auth/logout', { cookie })).status, 204)
      await new Promise((resolve) => setTimeout(resolve, withinMs))
      await until(async () => assert.equal(await ask(blind), 503))
      const told = /Changes by other instances are not seen/
      await until(async () => assert.match(blind.logged.join('\n'), told))
      assert.doesNotMatch(blind.logged.join('\n'), new RegExp(password))
    } finally {
      freezer.stop()
      await blind.stop()
      await seeing.stop()
    }
  })
})
