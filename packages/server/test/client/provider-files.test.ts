/** Files in the forms of react-admin and Refine: chosen files are uploaded, and others stay. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient, memoryStore } from 'bindery-server/client'
import { makeDataProvider as makeAdminProvider } from 'bindery-server/react-admin'
import { makeDataProvider as makeRefineProvider } from 'bindery-server/refine'
import type { DeclaredResource } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { resources } from '../files/file-resources.ts'
import { pdf, png } from '../files/sample-files.ts'

let service: TestService
let client: ReturnType<typeof createClient>

before(async () => {
  service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  const { token } = await service.person()
  const tokens = memoryStore()
  await tokens.write({ accessToken: token })
  client = createClient({ url: service.url, tokens, refreshBy: 'token' })
})
after(() => service.stop())

const photo = new File([png], 'front.png', { type: 'image/png' })
const manual = new File([pdf], 'manual.pdf', { type: 'application/pdf' })
const paper = (name: string) => new File([name], name, { type: 'text/plain' })
type Shown = { readonly name: string }
const namesOf = (files: unknown) => (files as readonly Shown[]).map(({ name }) => name)

it('react-admin gives files as its inputs have them', async () => {
  const provider = makeAdminProvider(client)
  const data = {
    title: 'A',
    photo: { rawFile: photo, src: 'blob:x', title: 'front.png' },
    papers: [{ rawFile: paper('one.txt'), src: 'blob:y', title: 'one.txt' }],
  }
  const made = (await provider.create('things', { data })).data
  assert.deepEqual([made.photo.name, namesOf(made.papers)], ['front.png', ['one.txt']])
  const more = { ...made, papers: [...made.papers, { rawFile: paper('two.txt') }], photo: null }
  const { data: changed } = await provider.update('things', { id: made.id, data: more, previousData: made })
  assert.deepEqual([changed.photo, namesOf(changed.papers)], [null, ['one.txt', 'two.txt']])
  const wrong = provider.create('things', { data: { photo: { rawFile: manual } } })
  await assert.rejects(wrong, (error: Error & { status?: number }) => error.status === 415)
})

it('Refine gives files as they are, and as Ant Design has them', async () => {
  const provider = makeRefineProvider(client)
  const variables = { title: 'B', manual, papers: [{ uid: '1', name: 'one.txt', originFileObj: paper('one.txt') }] }
  const { data: made } = await provider.create({ resource: 'things', variables })
  assert.deepEqual([made.manual.name, namesOf(made.papers)], ['manual.pdf', ['one.txt']])
  const changes = { manual: null, photo }
  const { data: changed } = await provider.update({ resource: 'things', id: made.id, variables: changes })
  assert.deepEqual([changed.manual, changed.photo.name], [null, 'front.png'])
  const nowhere = provider.create({ resource: 'nothings', variables: { photo } })
  await assert.rejects(nowhere, /nothings is the path of no resource/)
})
