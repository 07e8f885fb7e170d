/** Resources for places of the console that the library does not have. */
import type { Page } from 'playwright-core'
import {
  defineResource,
  files,
  id,
  image,
  manualOrder,
  manyToMany,
  oneToOne,
  role,
  text,
  webhooks,
} from '../../src/index.ts'
import { png } from '../files/sample-files.ts'
import type { TestService } from '../helpers/application.ts'

const staff = { read: role('EDITOR'), write: role('EDITOR') }
const labels = defineResource({
  name: 'label',
  path: '/labels',
  changes: true,
  fields: { id: id(), name: text({ required: true, maxLength: 40 }) },
  list: { style: 'page', search: ['name'] },
  access: staff,
})
const chapters = defineResource({
  name: 'chapter',
  path: '/chapters',
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 40 }),
    position: manualOrder(),
    labels: manyToMany('label'),
    drawing: image(),
    drafts: files({ types: ['text/plain'], max: 3 }),
  },
  list: { style: 'page', sortable: ['title'] },
  children: { cover: { resource: 'cover', by: 'chapterId' } },
  access: staff,
})
const covers = defineResource({
  name: 'cover',
  path: '/covers',
  fields: { id: id(), chapterId: oneToOne('chapter', { onDelete: 'delete' }), paper: text() },
  list: { style: 'page' },
  access: staff,
})

export const visitedResources = [labels, chapters, covers, ...webhooks({ users: 'member', create: role('EDITOR') })]

/** Returns the id of a chapter with a link, and without a cover. */
export async function makeChapters(service: TestService, token: string): Promise<string> {
  const make = async (path: string, body: object) =>
    (await service.ask('POST', path, { token, body })).body.id as string
  await make('/api/v1/webhook-endpoints', { url: 'https://hooks.example.com/', resources: ['labels'] })
  const [red] = [await make('/api/v1/labels', { name: 'red' }), await make('/api/v1/labels', { name: 'white' })]
  const first = await make('/api/v1/chapters', { title: 'One', labels: [red] })
  const at = `/api/v1/chapters/${first}`
  await service.ask('PUT', `${at}/drawing`, { token, raw: png, type: 'image/png' })
  await service.ask('POST', `${at}/drafts`, { token, raw: Buffer.from('a draft'), type: 'text/plain' })
  await make('/api/v1/chapters', { title: 'Two' })
  return first
}

/** Visits the form of a new endpoint, from the page of webhooks. */
export function openNewEndpoint(go: (page: Page, at: string) => Promise<unknown>) {
  return async (page: Page): Promise<void> => {
    await go(page, '/_operate/webhooks')
    await page.getByRole('link', { name: 'New endpoint' }).click()
    await page.locator('[data-field=recordFields]').waitFor()
  }
}
