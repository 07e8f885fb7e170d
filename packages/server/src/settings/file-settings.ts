/** Parses the environment variables of the files of records. */
import { join } from 'node:path'
import { type Environment, fail, parseSpan, type Variable } from '../base/environment.ts'
import { parseBytes } from '../base/print-bytes.ts'
import { parseStore, type StoreSetting, storeForm } from './store-settings.ts'

export type FileSettings = {
  readonly store: StoreSetting
  /** How long an upload waits for its record. */
  readonly uploadKeptMs: number
  /** Of one caller, and of one address: uploads that no record has, and their bytes together. */
  readonly waitingMax: number
  readonly waitingBytesMax: number
}

const keptDefault = '24h'
const waitingDefault = '200'
const waitingBytesDefault = '20 GB'

export const fileVariables: readonly Variable[] = [
  {
    name: 'FILES_STORE',
    takes: storeForm,
    value: '`files` in `DATA_DIR`',
    about: 'where the files of records are: a folder, or s3://BUCKET/PREFIX',
    more: 'More than one instance needs one that all of them reach. See [Files](../how-to/declare-files.md).',
  },
  {
    name: 'UPLOADS_KEEP',
    takes: 'duration in `m`, `h` or `d`',
    value: keptDefault,
    about: 'how long an upload waits for its record, as 24h or 7d',
  },
  {
    name: 'UPLOADS_WAITING',
    takes: 'whole number',
    value: waitingDefault,
    about: 'how many uploads of one caller, or of one address, may wait for their records',
  },
  {
    name: 'UPLOADS_WAITING_BYTES',
    takes: 'size, such as `20 GB`',
    value: waitingBytesDefault,
    about: 'how large these uploads may be together',
  },
]

/** `6h` */
const span = /^([1-9]\d{0,3})([mhd])$/

export function parseFiles(env: Environment, dataDir: string): FileSettings {
  const kept = env.UPLOADS_KEEP || keptDefault
  const waiting = env.UPLOADS_WAITING || waitingDefault
  const bytes = env.UPLOADS_WAITING_BYTES || waitingBytesDefault
  if (!/^[1-9]\d{0,5}$/.test(waiting)) fail('UPLOADS_WAITING', `must be a whole number from 1, not ${waiting}`)
  return {
    store: parseStore('FILES_STORE', env.FILES_STORE, env) ?? { folder: join(dataDir, 'files') },
    uploadKeptMs: parseSpan(kept, span) ?? fail('UPLOADS_KEEP', `must look like 24h or 7d, not ${kept}`),
    waitingMax: Number(waiting),
    waitingBytesMax: parseBytes(bytes) ?? fail('UPLOADS_WAITING_BYTES', `must look like 20 GB, not ${bytes}`),
  }
}
