/**
 * Resources whose files are scanned by code that a test steers. Words in the file decide, and a
 * gate holds all scans until it is opened.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anyone,
  type DeclaredResource,
  defineAction,
  defineResource,
  type FileScan,
  file,
  files,
  id,
  image,
  text,
  timestamp,
  user,
} from '../../src/index.ts'
import { people } from './file-resources.ts'

type Seen = { readonly name: string; readonly type: string; readonly size: number; readonly bytes: string }

/** `seen`: all files that scans were given. */
export const steering = { gate: Promise.resolve(), seen: [] as Seen[] }

/** Holds all scans from now on. Returns how to open. */
export function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  steering.gate = promise
  return resolve
}

export const scan: FileScan = {
  retries: { tries: 2 },
  timeoutSeconds: 600,
  async run({ file: { name, type, size }, bytes, signal }) {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    const text = Buffer.concat(pieces).toString('latin1')
    steering.seen.push({ name, type, size, bytes: text })
    await Promise.race([steering.gate, sleep(240_000, undefined, { signal, ref: false })])
    if (text.includes('fails')) throw new Error('the scanner is away')
    if (text.includes('odd')) return undefined as never
    return text.includes('virus') ? 'refused' : 'passed'
  },
}

const noteFields = {
  id: id(),
  title: text({ maxLength: 80 }),
  photo: image({ scan, variants: { thumb: { width: 8 } } }),
  manual: file({ types: ['text/*'], scan }),
  papers: files({ types: ['text/*'], scan }),
  plain: file({ types: ['text/*'] }),
  updatedAt: timestamp({ setOn: 'write' }),
}

export const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: noteFields,
  list: { style: 'page' },
  trash: { days: 30 },
  history: { keep: 9 },
  access: {
    list: anyone,
    get: anyone,
    create: user,
    update: user,
    delete: user,
    purge: user,
    export: user,
    take: user,
  },
  actions: {
    take: defineAction(noteFields, {
      summary: 'Take a manual without a word to others',
      input: { manual: file({ required: true }) },
      run: async ({ record, records, input }) => {
        await records.quiet(notes).update(record.id, { manual: input.manual })
      },
    }),
  },
})

export const resources = [...people, notes] as readonly DeclaredResource[]

const { manual, ...others } = noteFields
/** The same by a later version, in which the resource and one of its fields have new names. */
const memos = {
  ...notes,
  name: 'memo',
  renamedFrom: 'note',
  fields: { ...others, guide: { ...manual, renamedFrom: 'manual' } },
}
export const renamed = [...people, memos] as unknown as readonly DeclaredResource[]
