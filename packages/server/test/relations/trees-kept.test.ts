/**
 * Random moves in a tree, on two services with one database: one keeps answers, the other keeps
 * none. Both answer what a plain walk through the records finds, for a reader who sees all of them
 * and one who does not. The same moves are refused.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { removeDatabase, removeFolder, temporaryFolder } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { treeResources } from './trees-world.ts'

const steps = shortOr(160, 2_000)
const folder = temporaryFolder()
const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '' }
const keeping = await startService(treeResources, { env })
const plain = await startService(treeResources, { env: { ...env, KEEP_ANSWERS: 'false' } })
after(async () => {
  for (const one of [keeping, plain]) await one.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})
const ann = await keeping.person()
const eve = await keeping.person()
const depth = 4

type Node = { readonly name: string; above: string | undefined; isOpen: boolean; isGone: boolean }
const nodes = new Map<string, Node>()
const goods = new Map<string, string>()
const live = () => [...nodes].filter(([, { isGone }]) => !isGone).map(([id]) => id)
const aboveOf = (id: string) => {
  const above = nodes.get(id)?.above
  return above !== undefined && !nodes.get(above)?.isGone ? above : undefined
}
const wayUp = (id: string): string[] => {
  const above = aboveOf(id)
  return above === undefined ? [id] : [id, ...wayUp(above)]
}
const heightOf = (id: string): number =>
  1 +
  Math.max(
    0,
    ...live()
      .filter((one) => aboveOf(one) === id)
      .map((one) => heightOf(one)),
  )
const mayMove = (id: string, to: string) => !wayUp(to).includes(id) && wayUp(to).length + heightOf(id) <= depth

/** Whether the way from the record up to the other goes through records that the reader sees. */
function isSeenBelow(person: TestPerson, id: string, root: string): boolean {
  const way = wayUp(id)
  const part = way.slice(0, way.indexOf(root) + 1)
  return part.length > 0 && part.every((one) => person === ann || nodes.get(one)?.isOpen)
}

const send = async (service: TestService, method: string, path: string, asked: { as: TestPerson; body?: unknown }) => {
  const { as, body } = asked
  const reply = await service.ask(method, `/api/v1${path}`, { token: as.token, ...(body !== undefined && { body }) })
  return reply as unknown as { status: number; text: string; body: { id: string; data: { name: string }[] } }
}

test(`${steps} moves and reads: the same answers, kept or not`, async () => {
  const random = makeRandom(20_261_127)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const write = (method: string, path: string, body?: unknown) => send(keeping, method, path, { as: ann, body })

  async function change(n: number): Promise<void> {
    const ids = live()
    const kind = ids.length < 6 ? 'make' : pick(['make', 'move', 'move', 'move', 'free', 'hide', 'delete', 'good'])
    const id = pick(ids)
    if (kind === 'make') {
      const above = ids.length > 2 && random() < 0.8 ? pick(ids) : undefined
      const reply = await write('POST', '/categories', { name: `c${n}`, parentId: above ?? null })
      const fits = above === undefined || wayUp(above).length < depth
      assert.equal(reply.status, fits ? 201 : 400, reply.text)
      if (fits) nodes.set(reply.body.id, { name: `c${n}`, above, isOpen: true, isGone: false })
      return
    }
    const node = nodes.get(id) as Node
    if (kind === 'good') {
      const reply = await write('POST', '/goods', { name: `g${n}`, categoryId: id })
      goods.set(`g${n}`, id)
      assert.equal(reply.status, 201, reply.text)
    } else if (kind === 'move') {
      const to = pick(ids)
      const reply = await write('PATCH', `/categories/${id}`, { parentId: to })
      const stays = node.above === to
      assert.equal(reply.status, stays || mayMove(id, to) ? 200 : 400, reply.text)
      if (reply.status === 200) node.above = to
    } else if (kind === 'free') {
      assert.equal((await write('PATCH', `/categories/${id}`, { parentId: null })).status, 200)
      node.above = undefined
    } else if (kind === 'hide') {
      assert.equal((await write('PATCH', `/categories/${id}`, { isOpen: !node.isOpen })).status, 200)
      node.isOpen = !node.isOpen
    } else {
      assert.equal((await write('DELETE', `/categories/${id}`)).status, 204)
      node.isGone = true
    }
  }

  async function compare(): Promise<void> {
    const root = pick(live())
    const person = pick([ann, eve])
    const sees = (id: string) => person === ann || nodes.get(id)?.isOpen
    const below = live().filter((id) => id !== root && isSeenBelow(person, id, root))
    const expected: readonly [string, readonly string[]][] = [
      [`/categories/${root}/descendants?limit=100`, below.map((id) => (nodes.get(id) as Node).name)],
      [
        `/goods?limit=100&categoryId[within]=${root}`,
        [...goods].filter(([, id]) => !nodes.get(id)?.isGone && isSeenBelow(person, id, root)).map(([name]) => name),
      ],
      [
        `/categories/${root}/ancestors?limit=100`,
        wayUp(root)
          .slice(1)
          .filter((id) => isSeenBelow(person, root, id))
          .map((id) => (nodes.get(id) as Node).name),
      ],
    ]
    for (const [path, names] of expected)
      for (const service of [keeping, plain]) {
        const { status, body, text } = await send(service, 'GET', path, { as: person })
        if (!sees(root) && path.startsWith('/categories')) assert.equal(status, 404, text)
        else assert.deepEqual(body.data.map(({ name }) => name).toSorted(), names.toSorted(), `${path} ${text}`)
      }
  }

  for (let n = 0; n < steps; n += 1) {
    await change(n)
    for (let i = 0; i < 2; i += 1) if (live().length > 0) await compare()
  }
})
