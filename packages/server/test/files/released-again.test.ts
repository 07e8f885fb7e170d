/**
 * A file that a record takes back stays, while the last version that named it goes at the same
 * moment.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { all, equal } from '../../src/resource/condition.ts'
import { historyFields } from '../../src/resource/made/declared-history.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { openFiles } from './open-files.ts'
import { rowsOf } from './sample-files.ts'

const { service, ann } = await openFiles()

it('a revert and the removal of a version do not lose the file', async () => {
  const made = await service.ask('POST', '/api/v1/boxes', { body: { title: 'Box' }, token: ann.token })
  const at = `/api/v1/boxes/${made.body.id}`
  const put = async (raw: string) => {
    const answer = await service.ask('PUT', `${at}/label`, { raw, type: 'text/plain', token: ann.token })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.label.id as string
  }
  const first = await put('first')
  await put('second')
  const { catalog, records, storage } = service.service.engine
  const boxes = catalog.get('box')
  const versions = catalog.get(boxes.history?.resource as string)
  const sort = [{ field: versions.idField, descending: false }]
  const stored = await storage.list(versions, {
    where: equal(historyFields.of, made.body.id),
    sort,
    limit: 10,
    after: null,
  })
  const earlier = stored.find(({ label }) => (label as { id: string } | null)?.id === first)
  assert.ok(earlier)

  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: named, resolve: hasNamed } = Promise.withResolvers<void>()
  const reverting = records.transaction(serviceAuthor, async (tx) => {
    const found = await tx.lock(boxes, equal(boxes.idField, made.body.id))
    assert.ok(found)
    await tx.change(boxes, found.row, { label: earlier.label })
    hasNamed()
    await gate
  })
  await named
  const removing = records.transaction(serviceAuthor, (tx) =>
    tx.removeWhere(versions, all(equal(versions.idField, earlier[versions.idField] as string))),
  )
  await sleep(200)
  open()
  await Promise.all([reverting, removing])
  const [row] = await rowsOf(service, [first])
  assert.deepEqual([row?.state, row?.dueAt], ['attached', null])
  await service.sweep()
  const served = await fetch(`${service.url}${at}/label`, { headers: { authorization: `Bearer ${ann.token}` } })
  assert.deepEqual([served.status, await served.text()], [200, 'first'])
})
