/** Tasks as clients see them: a real server on a database of its own. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestService } from 'bindery-server/test'
import { resources } from '../app.ts'
import { credentialOf } from './credential.ts'

let service: TestService
let credential: AskOptions
before(async () => {
  service = await startService(resources)
  credential = await credentialOf(service)
})
after(() => service.stop())

test('a task is postponed, finished, and keeps its project from being deleted', async () => {
  const { ask } = service
  const post = (path: string, body: object) => ask('POST', path, { ...credential, body })
  const project = (await post('/api/v1/projects', { name: 'Garden' })).body
  const made = await post(`/api/v1/projects/${project.id}/tasks`, { title: 'Sow', dueAt: '2030-03-01T00:00:00.000Z' })
  assert.equal(made.status, 201, made.text)
  const task = `/api/v1/tasks/${made.body.id}`
  assert.equal((await post(`${task}/postpone`, { days: 7 })).body.dueAt, '2030-03-08T00:00:00.000Z')
  assert.equal((await post(`${task}/finish`, {})).body.state, 'DONE')
  assert.equal((await post(`${task}/finish`, {})).status, 409)
  const refused = await ask('DELETE', `/api/v1/projects/${project.id}`, credential)
  assert.deepEqual(
    [refused.status, refused.body],
    [409, { error: 'This project cannot be deleted: 1 task refers to it' }],
  )
  assert.equal((await ask('DELETE', task, credential)).status, 204)
  assert.equal((await ask('DELETE', `/api/v1/projects/${project.id}`, credential)).status, 204)
})

test('a task without a due time cannot be postponed', async () => {
  const { ask } = service
  const project = (await ask('POST', '/api/v1/projects', { ...credential, body: { name: 'House' } })).body
  const path = `/api/v1/projects/${project.id}/tasks`
  const task = (await ask('POST', path, { ...credential, body: { title: 'Paint' } })).body
  const refused = await ask('POST', `/api/v1/tasks/${task.id}/postpone`, { ...credential, body: { days: 1 } })
  assert.deepEqual([refused.status, refused.body], [409, { error: 'A task that is never due cannot be postponed' }])
})
