/**
 * Effects work on records in the name of the system: each write alone, or several in one
 * transaction. They write to the server's log, and know the time and the settings.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, defineResource, id, integer, not, reference, text } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const seen: unknown[] = []
const noted = async (work: () => Promise<unknown>) => {
  try {
    seen.push(await work())
  } catch (error) {
    seen.push((error as Error).message)
  }
}

const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), boxId: reference('box', { required: true }), words: text({ required: true, maxLength: 20 }) },
  list: { style: 'page' },
  access: { list: anyone, create: not(anyone) },
})

const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), name: text({ required: true }), opened: integer({ default: 0, readOnly: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone },
  effects: {
    open: {
      on: ['create'],
      async run({ record, records, transaction, log, now, settings }) {
        const { id: boxId } = record
        await records(boxes).update(boxId, { opened: 1 })
        await records(notes).create({ boxId, words: 'alone' })
        await noted(() => records(notes).create({ boxId, words: 'longer than twenty characters' }))
        await noted(() => records(boxes).get('01890a5d-ac96-774b-bcce-b302099a8057'))
        await noted(() =>
          transaction(async (inside) => {
            await inside.records(notes).create({ boxId, words: 'taken back' })
            seen.push((await inside.records(notes).list({ boxId })).length)
            inside.refuse('this box is full')
          }),
        )
        const opened = await transaction(async (inside) => {
          const { opened } = await inside.records(boxes).get(boxId)
          await inside.records(notes).create({ boxId, words: 'together' })
          return (await inside.records(boxes).update(boxId, { opened: opened + 1 })).opened
        })
        seen.push(
          opened,
          (await records(notes).list({ boxId })).map(({ words }) => words),
        )
        seen.push(await records(notes).deleteWhere({ words: 'alone' }), now, settings.currency)
        log.info('A box is open', { box: record.name })
      },
    },
  },
})

test('effects read and write records as the system, alone or in one transaction, and log', async (t) => {
  const service = await startService([boxes, notes])
  t.after(() => service.stop())
  const { ask } = service
  const made = await ask('POST', '/api/v1/boxes', { body: { name: 'first' } })
  assert.equal(made.status, 201, made.text)
  await service.sweep()
  const now = seen.at(-2)
  assert.deepEqual(seen, [
    'words must be at most 20 characters',
    'Box not found',
    2,
    'this box is full',
    2,
    ['alone', 'together'],
    1,
    now,
    'USD',
  ])
  assert.match(String(now), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const { body } = await ask('GET', '/api/v1/notes')
  assert.deepEqual(
    body.data.map((note: { words: string }) => note.words),
    ['together'],
  )
  assert.ok(
    service.logged.some((line) => line.includes('A box is open') && line.includes('"code":"box.open"')),
    service.logged.join('\n'),
  )
  assert.ok(!service.logged.some((line) => line.includes('failed')), service.logged.join('\n'))
})
