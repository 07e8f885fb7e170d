/** The routes for operators: what they show, to whom, and that their writes are in the audit. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfig, variables } from '../../src/config.ts'
import { anyone, defineResource, id, text } from '../../src/index.ts'
import { boundJobs } from '../../src/record/jobs/add-job.ts'
import { always } from '../../src/resource/condition.ts'
import { showSettings } from '../../src/settings/shown-settings.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import type { StoredSchedule } from '../../src/storage/schedules/stored-schedules.ts'
import { startService, type TestPerson, type TestService, temporaryFolder } from '../../src/testing/index.ts'
import { removeFolder } from '../helpers/application.ts'
import { file, ran, tidy } from '../jobs/mailroom.ts'
import { keys, people, traces } from '../service/people.ts'

const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, create: anyone },
  display: { plural: { en: 'Post', de: 'Briefe' } },
  effects: {
    post: {
      on: ['create'],
      run() {
        throw new Error('the post is closed')
      },
    },
  },
})

const at = (name: string) => `/api/v1/_operate/${name}`

describe('the routes for operators', () => {
  let service: TestService
  let admin: TestPerson
  let member: TestPerson
  const folder = temporaryFolder()
  before(async () => {
    service = await startService([...people, keys, traces, letters, file, tidy], {
      mayFail: true,
      env: { BACKUP_DIR: folder, JWT_SECRET: 'a secret that no answer may ever show to anyone' },
    })
    admin = await service.admin()
    member = await service.person()
  })
  after(async () => {
    await service?.stop()
    removeFolder(folder)
  })
  const read = (name: string) => service.ask('GET', at(name), { token: admin.token })
  const post = (name: string, { token } = admin) => service.ask('POST', at(name), { token })
  async function events(): Promise<string[]> {
    const { catalog, storage } = service.service.engine
    const sort = [{ field: 'id', descending: false }]
    const rows = await storage.list(catalog.get('trace'), { where: always, sort, limit: 100 })
    return rows.map(({ event, details }) => `${event} ${details}`)
  }

  it('are for the operator alone', async () => {
    for (const name of ['roles', 'findings', 'settings', 'statements', 'backups', 'effects', 'schedules', 'jobs']) {
      assert.equal((await service.ask('GET', at(name))).status, 401, name)
      assert.equal((await service.ask('GET', at(name), { token: member.token })).status, 403, name)
      const answer = await read(name)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.ok(!answer.text.includes('no answer may ever show'))
    }
    const told = async (token?: string) => (await service.ask('GET', '/api/v1/_resources', { token })).body.operates
    assert.deepEqual([await told(), await told(member.token), await told(admin.token)], [false, false, true])
  })

  it('say what each role may do, with the rule in words', async () => {
    const { body } = await read('roles')
    assert.deepEqual(body.roles, ['anonymous', ...service.service.engine.catalog.roles.names])
    const found = body.resources.find(({ slug }: { slug: string }) => slug === 'letters')
    assert.deepEqual([found.plural, found.plurals], ['Post', { en: 'Post', de: 'Briefe' }])
    assert.deepEqual(found.operations[0], {
      name: 'list',
      rule: 'anyone',
      extents: Object.fromEntries(body.roles.map((name: string) => [name, 'all'])),
    })
  })

  it('try work again, and give it up', async () => {
    await service.ask('POST', '/api/v1/letters', { body: { name: 'to Ada' } })
    await service.sweep()
    const listed = async () => (await read('effects?kind=letter.post')).body.effects
    const [waiting] = await listed()
    assert.match(waiting.error, /the post is closed/)
    assert.deepEqual([waiting.state, 'payload' in waiting], ['waiting', false])
    const act = (name: string) => service.ask('POST', at(`effects/${waiting.id}/${name}`), { token: admin.token })
    assert.equal((await act('give-up')).status, 204)
    assert.equal((await listed())[0].state, 'given-up')
    const { findings } = (await read('findings')).body
    const [found, ...more] = findings.filter(({ check }: { check: string }) => check === 'effects')
    assert.deepEqual([found.level, found.where, more], ['warn', 'effects of letter.post', []])
    assert.match(found.what, /^1 effect is given up, one of them for: .*the post is closed/)
    assert.match(found.todo, /bindery effects retry --kind letter\.post/)
    assert.equal((await act('retry')).status, 204)
    assert.equal((await listed())[0].state, 'waiting')
    assert.deepEqual((await events()).filter((event) => event.startsWith('effect')).toSorted(), [
      `effect-given-up act=give-up,kind=letter.post,effect=${waiting.id}`,
      `effect-retried act=retry,kind=letter.post,effect=${waiting.id}`,
    ])
  })

  it('list jobs without what they are given, and try them again, give them up or cancel them', async () => {
    const added = await service.service.engine.records.transaction(serviceAuthor, (tx) =>
      boundJobs(tx)(file).add({ drawer: 'private' }, { at: new Date(service.now() + 60_000), queue: 'front' }),
    )
    const { body, text } = await read('jobs?job=file&state=waiting')
    const [job] = body.jobs
    assert.deepEqual(
      [body.names, job.id, job.state, job.queue, job.user, body.next],
      [['file'], added.id, 'waiting', 'front', null, null],
    )
    assert.ok(!text.includes('private'))
    assert.deepEqual((await read('jobs?state=done')).body.jobs, [])
    assert.equal((await read('jobs?state=behind')).status, 400)
    const act = (name: string, by = admin) => post(`jobs/${job.id}/${name}`, by)
    assert.equal((await act('retry', member)).status, 403)
    assert.equal((await act('stop')).status, 404)
    const states: string[] = []
    for (const name of ['give-up', 'retry', 'cancel']) {
      assert.equal((await act(name)).status, 204, name)
      states.push((await read('jobs')).body.jobs[0].state)
    }
    assert.deepEqual(states, ['failed', 'waiting', 'cancelled'])
    const ended = await act('retry')
    assert.deepEqual([ended.status, ended.body.error], [409, 'The job is cancelled'])
    assert.deepEqual((await events()).filter((event) => event.includes('job.file')).toSorted(), [
      `effect-given-up act=cancel,kind=job.file,effect=${job.id}`,
      `effect-given-up act=give-up,kind=job.file,effect=${job.id}`,
      `effect-retried act=retry,kind=job.file,effect=${job.id}`,
    ])
  })

  it('list schedules with their next moments, and run one now', async () => {
    const { schedules } = (await read('schedules')).body
    assert.deepEqual(
      schedules.map(({ name, moments, nextAt }: { name: string; moments: string[]; nextAt: string }) => [
        name,
        moments.length,
        nextAt === moments[0],
      ]),
      [['tidy', 5, true]],
    )
    const runs = () => ran.filter((line) => line === 'tidy').length
    const before = runs()
    assert.equal((await post('schedules/tidy/run')).status, 204)
    assert.equal((await post('schedules/tidier/run')).status, 404)
    await service.sweep()
    assert.equal(runs(), before + 1)
    assert.match((await events()).at(-1) ?? '', /^effect-retried act=run,kind=schedule\.tidy,effect=\S+$/)
    const { works } = (await service.ask('GET', '/api/v1/_resources', { token: admin.token })).body
    assert.deepEqual(works, ['jobs', 'schedules'])
    const others = await service.ask('GET', '/api/v1/_resources', { token: member.token })
    assert.deepEqual(others.body.works, [])
  })

  it('take a backup, and list it', async () => {
    const asked = await service.ask('POST', at('backups/take'), { token: admin.token })
    assert.equal(asked.status, 202, asked.text)
    for (;;) {
      const { body } = await read('backups')
      if (body.isTaking) continue
      assert.equal(body.failed, null)
      assert.equal(body.files.length, 1)
      assert.equal(body.good.name, body.files[0].name)
      break
    }
    assert.ok((await events()).some((event) => event.startsWith('backup-asked')))
  })

  it('have the findings of the doctor with their remedies', async () => {
    const { findings } = (await read('findings')).body
    const checks = new Set(findings.map(({ check }: { check: string }) => check))
    for (const check of ['configuration', 'disk', 'backup', 'slow statements']) assert.ok(checks.has(check), check)
    assert.ok(!checks.has('schedules'))
    const { storage, records } = service.service.engine
    const [tidied] = (await storage.schedules.list()) as [StoredSchedule]
    const after = { ...tidied, missedAtMs: service.now(), missed: 2 }
    await records.transaction(serviceAuthor, (tx) => tx.moveSchedule({ before: tidied, after }))
    const later = (await read('findings')).body.findings
    const [missed] = later.filter(({ check }: { check: string }) => check === 'schedules')
    assert.match(`${missed?.where}: ${missed?.what}`, /^the schedule tidy: 2 moments passed without a run of their own/)
  })
})

it('settings never show a secret, whichever variable has it', () => {
  const groups = [{ title: 'All', variables }]
  const env = Object.fromEntries(variables.map(({ name }) => [name, `hidden ${name}`]))
  const shown = showSettings(env, groups)
  for (const { name, isSecret } of variables) {
    const found = shown.find((one) => one.name === name)
    assert.deepEqual([found?.source, found?.value === null], ['set', isSecret === true], name)
  }
  const text = JSON.stringify(
    showSettings({ DATABASE_URL: 'postgres://ada:hidden@db/shop?password=hidden', HOST: '::1' }, groups),
  )
  assert.ok(!text.includes('hidden'))
  const named = { OIDC_PROVIDERS: 'corp', OIDC_CORP_ISSUER: 'https://login.example', OIDC_CORP_CLIENT_SECRET: 'hidden' }
  const found = new Map(showSettings(named, groups).map((one) => [one.name, one]))
  assert.equal(found.get('OIDC_CORP_ISSUER')?.value, 'https://login.example')
  const { source, value, isSecret } = found.get('OIDC_CORP_CLIENT_SECRET') ?? {}
  assert.deepEqual([source, value, isSecret], ['set', null, true])
  assert.ok(Object.isFrozen(readConfig({})))
})
