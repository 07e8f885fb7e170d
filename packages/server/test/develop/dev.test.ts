/** `bindery dev` as a real process, on a folder whose files change. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { long } from '../helpers/long.ts'
import { cups, makeProject, type Project } from './project.ts'

let project: Project
let dev: ReturnType<Project['begin']>
before(async () => {
  project = await makeProject()
  dev = project.begin('dev')
})
after(async () => {
  dev.child.kill('SIGTERM')
  await once(dev.child, 'close')
  project.remove()
})

/** Waits until the text behind `from` matches. */
async function until(pattern: RegExp, from = 0): Promise<string> {
  for (let tries = 0; tries < 4_800; tries += 1) {
    const said = dev.said().slice(from)
    if (pattern.test(said)) return said
    await sleep(50)
  }
  throw new Error(`never said ${pattern}:\n${dev.said()}`)
}
async function fieldsOf(): Promise<string[]> {
  const document = (await (await fetch(`${project.address}/openapi.json`)).json()) as {
    components: { schemas: { Cup: { properties: object } } }
  }
  return Object.keys(document.components.schemas.Cup.properties)
}

test('serves, checks, follows a change, and waits where there is a mistake', async () => {
  const first = await until(/Served after[\s\S]*openapi\.json[\s\S]*|Served/)
  assert.match(first, new RegExp(`${project.address}/graphql`))
  await until(/Types: no mistakes\./)

  let from = dev.said().length
  project.write('cups.ts', cups.replace('volume: integer(),', 'volume: integer(),\n    handles: integer(),'))
  const restarted = await until(/Served after/, from)
  assert.match(restarted, /^cups\.ts has changed\.$/m)
  assert.ok((await fieldsOf()).includes('handles'))

  from = dev.said().length
  project.write('cups.ts', cups.replace("path: '/cups'", "path: '/Cups'").replace('required', 'reqired'))
  const refused = await until(/It is not served[\s\S]*Types: /, from)
  assert.match(refused, /cups\.ts:5:10 cup: path: "\/Cups" must be[^\n]*\n {2}5 \| {3}path: '\/Cups',/)
  assert.equal(refused.match(/"reqired"/g)?.length, 1, refused)
  assert.equal(refused.match(/path: "\/Cups"/g)?.length, 1, refused)
  assert.match(refused, /Types: no other mistakes\./)

  from = dev.said().length
  project.write('cups.ts', cups.replace('volume: integer(),', 'volume: integer(),\n    handles: integer(),'))
  await until(/Served after/, from)
  assert.ok((await fieldsOf()).includes('handles'))
})

// The next one changes a variable and a file at once.
test('a changed variable is taken up as well', long, async () => {
  const statusOf = async () => (await fetch(`${project.address}/api/v1/cups`)).status
  for (const [variables, status] of [
    ['HOSTS=cups.example\n', 421],
    ['', 200],
  ] as const) {
    const from = dev.said().length
    project.write('.env', variables)
    await until(/Served after/, from)
    assert.equal(await statusOf(), status)
  }
})

test('changes that come at once are all taken up', async () => {
  const from = dev.said().length
  project.write('.env', 'HOSTS=cups.example\n')
  project.write('cups.ts', `${readFileSync(join(project.folder, 'cups.ts'), 'utf8')}\n`)
  const restarted = await until(/Served after/, from)
  assert.match(restarted, /^\.env has changed\.$/m)
  assert.match(restarted, /^cups\.ts has changed\.$/m)
  assert.equal((await fetch(`${project.address}/api/v1/cups`)).status, 421)
  const again = dev.said().length
  project.write('.env', '')
  await until(/Served after/, again)
})

test('what would lose data is not done without being asked for', async () => {
  const made = await fetch(`${project.address}/api/v1/cups`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ glaze: 'celadon', handles: 2 }),
  })
  assert.equal(made.status, 201)
  const from = dev.said().length
  project.write('cups.ts', cups)
  const said = await until(/It is not served/, from)
  assert.match(said, /handles/)
})
