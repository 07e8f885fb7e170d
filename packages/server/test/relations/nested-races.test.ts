/** Bodies with children beside writes of single children and of the same record: none is lost. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startWorld } from './nested-world.ts'

const { service, ask, made } = await startWorld()
after(() => service.stop())

it('concurrent writes of a record, its children and theirs all end, and counts are exact', async () => {
  const names = ['a', 'b', 'c', 'd']
  const { id, lines } = await made({ title: 'Races', lines: names.map((name) => ({ name, amount: 1 })) })
  const update = (order: readonly { id: string }[]) =>
    ask('PATCH', `/invoices/${id}`, {
      body: {
        lines: {
          update: order.map((one) => ({ id: one.id, amount: { increment: 1 }, pieces: { create: [{ label: 'p' }] } })),
          create: [{ name: 'new', amount: 1 }],
        },
      },
    })
  const single = (one: { id: string }) => [
    ask('PATCH', `/lines/${one.id}`, { body: { amount: { increment: 1 } } }),
    ask('POST', `/lines/${one.id}/pieces`, { body: { label: 'q' } }),
  ]
  const rounds = Array.from({ length: 6 }, (_, i) => update(i % 2 ? lines : lines.toReversed()))
  const answers = await Promise.all([...rounds, ...lines.flatMap(single)])
  assert.deepEqual(
    answers.filter(({ status }) => status >= 300).map(({ body }) => body),
    [],
  )
  const { body } = await ask('GET', `/invoices/${id}?expand=lines(limit:100)`)
  assert.deepEqual([body.lineCount, body.total], [10, 4 * 8 + 6])
  const counts = body.lines.map((one: { pieceCount: number }) => one.pieceCount).toSorted()
  assert.deepEqual(counts, [0, 0, 0, 0, 0, 0, 7, 7, 7, 7])
})
