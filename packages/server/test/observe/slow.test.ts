/**
 * Slow statements are logged on both databases: their text and their plan, once a minute, and no
 * value of any request.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService } from '../helpers/application.ts'

const secret = 'nobody-else-may-see-this'
let service: Awaited<ReturnType<typeof startService>>

before(async () => {
  service = await startService({ SLOW_MS: '1', METRICS_PORT: '0' })
})
after(() => service.stop())

type Slow = { readonly ms: number; readonly statement: string; readonly plan?: readonly string[] }

function slowOnes(): Slow[] {
  return service.logged
    .filter((line) => line.startsWith('warn Slow statement '))
    .map((line) => JSON.parse(line.slice('warn Slow statement '.length)) as Slow)
}

test('a slow statement is told once, with its plan and without its values', async () => {
  const operations = Array.from({ length: 100 }, (_, i) => {
    return { method: 'POST', path: '/shelves', body: { label: `${secret} ${i}`, room: secret } }
  })
  const { status, text } = await service.ask('POST', '/api/v1/batch', { body: { operations } })
  assert.equal(status, 200, text)
  const { storage, catalog } = service.service.engine
  const isTold = () => slowOnes().some(({ statement }) => /^select/i.test(statement) && /"shelves"/.test(statement))
  // The same shape again and again, with other values: on a quick machine not every one takes a
  // millisecond.
  for (let i = 0; i < 3_000 && !isTold(); i += 1) {
    const of = Array.from({ length: 300 }, (_, at) => {
      return { kind: 'contains', field: 'label', text: `${secret} of ${i} ${at}` } as const
    })
    await storage.list(catalog.get('shelf'), { where: { kind: 'or', of }, sort: [], limit: 100 })
  }
  assert.ok(isTold(), JSON.stringify(slowOnes()))
  for (let i = 0; i < 20; i += 1) await service.ask('GET', `/shelves?room=${secret}`)
  const shapes = slowOnes().map(({ statement }) => statement)
  assert.equal(new Set(shapes).size, shapes.length, 'a shape is told once a minute')
  const told = slowOnes().find(({ statement }) => /^select/i.test(statement) && /"shelves"/.test(statement)) as Slow
  assert.ok(told.ms >= 1)
  assert.ok((told.plan?.length ?? 0) > 0, JSON.stringify(told))
  assert.match(told.plan?.join('\n') ?? '', /shelves/)
  assert.ok(!JSON.stringify(slowOnes()).includes(secret))
  const metrics = await (await fetch(`${service.service.metricsAddress}/metrics`)).text()
  assert.match(metrics, /\nbindery_slow_statements_total [1-9]/)
})
