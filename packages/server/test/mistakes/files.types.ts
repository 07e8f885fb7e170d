/** Compile-time tests: the values of files in code, and mistakes in their fields. */
import { defineResource, file, files, id, image, type Records, type StoredFile, text } from '../../src/index.ts'

const fields = {
  id: id(),
  title: text(),
  photo: image({ maxBytes: '5 MB' }),
  manual: file({ types: ['application/pdf'], required: true }),
  papers: files({ max: 3 }),
}
export const things = defineResource({ name: 'thing', path: '/things', fields, access: {} })

declare const records: Records<typeof fields>

export async function right(upload: string): Promise<StoredFile | null> {
  const made = await records.create({ manual: upload, photo: { id: upload }, papers: [upload] })
  const all: readonly StoredFile[] = made.papers
  await records.update(made.id, { photo: null, papers: { add: [upload], remove: [...all] }, manual: made.manual })
  const size: number = made.manual.size
  return size > 5 ? made.photo : made.manual
}

export async function wrong(): Promise<void> {
  // @ts-expect-error a record has its manual from the start
  await records.create({ title: 'x' })
  // @ts-expect-error no id
  await records.update('x', { photo: 5 })
  // @ts-expect-error a list of files
  await records.update('x', { papers: { set: [] } })
  // @ts-expect-error it is never null
  await records.update('x', { manual: null })
}

// @ts-expect-error a file has no default
export const withDefault = file({ default: 'x' })
// @ts-expect-error only a list has a number
export const withMax = image({ max: 3 })
// @ts-expect-error types are media types
export const withTypes = file({ types: 'application/pdf' })
// @ts-expect-error another word than request
export const withReturned = file({ returned: 'always' })
// @ts-expect-error a scan says what it found
export const withoutVerdict = file({ scan: { run: () => undefined } })
// @ts-expect-error a verdict is passed or refused
export const withWord = file({ scan: { run: async ({ file }) => (file.size > 5 ? 'clean' : 'refused') } })
// @ts-expect-error no list is sorted by a file
export const sorted = defineResource({ name: 'x', fields, list: { style: 'page', search: ['photo'] }, access: {} })
