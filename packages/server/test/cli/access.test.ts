/**
 * `bindery access`: what each kind of caller may do, why one user may not, and what has changed
 * since another state of the declarations.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Bindery, makeBindery } from './bindery.ts'

const ends: (() => unknown)[] = []
let bindery: Bindery

describe('bindery access', () => {
  let user: string
  let edition: string
  before(async () => {
    bindery = makeBindery({ after: (end: () => unknown) => void ends.push(end) } as never)
    const line = '{"title":"Emma","price":3,"subject":"Novels"}\n'
    await bindery.run(['import', 'editions', '-', '--format', 'ndjson'], { input: line })
    const add = ['user', 'create', '--email', 'ann@example.com', '--role', 'USER', '--password-stdin', '--json']
    const added = await bindery.run(add, { input: 'correct horse battery\n' })
    assert.equal(added.code, 0, added.stderr)
    user = JSON.parse(added.stdout).id
    edition = String((await bindery.values('export', 'editions'))[0]?.id)
  })
  after(async () => {
    for (const end of ends) await end()
  })

  it('prints what each kind of caller may do', async () => {
    const rows = (await bindery.values('access')) as unknown as [Record<string, string>[]]
    const update = rows[0].find(({ resource, operation }) => resource === 'editions' && operation === 'update')
    assert.deepEqual(update, {
      resource: 'editions',
      operation: 'update',
      anonymous: 'none',
      USER: 'none',
      EDITOR: 'all',
      ADMIN: 'all',
      'USER by key': 'none',
      'EDITOR by key': 'all',
      'ADMIN by key': 'all',
    })
    assert.match((await bindery.run(['access'])).stdout, /^RESOURCE +OPERATION +ANONYMOUS +USER/)
  })

  it('says why a user may not, by e-mail or id, and what a key would change', async () => {
    for (const word of ['ann@example.com', 'ANN@example.com', user]) {
      const [said] = await bindery.values('access', word, 'update', `editions/${edition}`)
      assert.deepEqual([said?.allowed, said?.decidedBy], [false, ['access.update']])
    }
    const { stdout, code } = await bindery.run(['access', 'ann@example.com', 'update', `editions/${edition}`])
    assert.equal(code, 0)
    assert.match(stdout, /^refused: update editions\/.*\nthe answer is forbidden: Insufficient permissions\n/)
    assert.match(
      stdout,
      /\nThe record as it is, or all records of a list:\naccess\.update: EDITOR: fails ←\n {2}declared in .*editions\.ts:\d+/,
    )
    const allowed = async (...args: string[]) => (await bindery.values('access', ...args))[0]?.allowed
    assert.equal(await allowed('ann@example.com', 'get', `members/${user}`), true)
    assert.equal(await allowed('anonymous', 'get', `members/${user}`), false)
    assert.equal(await allowed('ann@example.com', 'get', `members/${user}`, '--scopes', 'editions:read'), false)
    assert.equal(await allowed('ann@example.com', 'create', 'opinions', '--values', '{"stars":3}', '--key'), true)
  })

  it('compares with another folder, which has no packages of its own', async () => {
    const library = new URL('../application/resources/index.ts', import.meta.url).href
    const folder = join(bindery.folder, 'earlier')
    mkdirSync(folder)
    const file = join(folder, 'app.ts')
    writeFileSync(
      file,
      `import { role } from 'bindery-server'
import { resources as today } from '${library}'
import { earlier } from './earlier.ts'
export const resources = today.map((one) => (one.name === 'shelf' ? { ...one, access: earlier(role('ADMIN')) } : one))
`,
    )
    writeFileSync(
      join(folder, 'earlier.ts'),
      `import { anyone } from 'bindery-server'
export const earlier = (rule) => ({ list: anyone, get: anyone, create: rule, replace: rule, update: rule })
`,
    )
    for (const place of [folder, file]) {
      const [changes] = (await bindery.values('access', '--diff', place)) as unknown as [Record<string, unknown>[]]
      assert.deepEqual(
        changes.map(({ change, resource, deed }) => `${change} ${resource} ${deed}`),
        ['create', 'replace', 'update', 'delete'].map((deed) => `more shelves ${deed}`),
      )
    }
    const { stdout } = await bindery.run(['access', '--diff', folder])
    assert.match(
      stdout,
      /^MORE +shelves: create: anonymous, USER, EDITOR, USER by key, EDITOR by key\n +before: none\n +now: +all records/,
    )
  })

  it('names what is wrong with a call', async () => {
    const wrong = [
      [['ann@example.com'], /name an operation and a record/],
      [['ann@example.com', 'fly', 'editions'], /editions have no fly; there are list, get/],
      [['ann@example.com', 'get', 'editions'], /name the record: editions\/<id>/],
      [['ann@example.com', 'list', 'editions/1'], /list is about no record/],
      [['bob@example.com', 'list', 'editions'], /no user bob@example\.com who may act/],
      [['ann@example.com', 'create', 'opinions', '--values', '{'], /--values: /],
      [['ann@example.com', '--diff', '.'], /leave the user out/],
      [['--diff', '/nowhere/at/all'], /there is no \/nowhere\/at\/all/],
    ] as const
    for (const [args, sentence] of wrong) {
      const { code, stderr } = await bindery.run(['access', ...args])
      assert.equal(code, 2, stderr)
      assert.match(stderr, sentence)
    }
  })
})
