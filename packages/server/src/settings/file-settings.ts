/** Parses the environment variables of the files of records. */
import { join } from 'node:path'
import { type Environment, fail, parseSpan, type Variable } from '../base/environment.ts'
import { parseBytes } from '../base/print-bytes.ts'
import { parseStore, type StoreSetting, storeForm } from './store-settings.ts'

export type FileSettings = {
  readonly store: StoreSetting
  /** The other store while files move: those that `store` has not are read from it. */
  readonly fallback?: StoreSetting | undefined
  /** How long an address of the store is good to which reads are sent; undefined: they are not. */
  readonly redirectSeconds?: number | undefined
  /** How long an upload waits for its record. */
  readonly uploadKeptMs: number
  /** Of one caller, and of one address: uploads that no record has, and their bytes together. */
  readonly waitingMax: number
  readonly waitingBytesMax: number
  /** Of the files of one user, and of one tenant; undefined without a quota. */
  readonly perUserMax?: number | undefined
  readonly perTenantMax?: number | undefined
}

const keptDefault = '24h'
const waitingDefault = '200'
const waitingBytesDefault = '20 GB'

export const fileVariables: readonly Variable[] = [
  {
    name: 'FILES_STORE',
    takes: storeForm,
    value: '$DATA_DIR/files',
    about: 'where the files of records are: a folder, or s3://BUCKET/PREFIX',
    more: 'More than one instance needs one that all of them reach. See [Files](../how-to/declare-files.md).',
  },
  {
    name: 'FILES_STORE_FALLBACK',
    takes: storeForm,
    value: '',
    about: 'the other store while files move: those that FILES_STORE has not are read from it',
    more: 'See [Move the store](../how-to/declare-files.md#move-the-store).',
  },
  {
    name: 'FILES_REDIRECT',
    takes: 'duration in `s`, `m` or `h`',
    value: '',
    about: 'reads of files are sent to S3 itself, with an address that is good for so long, as 60s',
    more: 'See [Let S3 send the bytes](../how-to/declare-files.md#let-s3-send-the-bytes).',
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
  {
    name: 'FILES_PER_USER',
    takes: 'size, such as `1 GB`',
    value: 'no limit',
    about: 'how large the files may be together that one user has uploaded',
  },
  {
    name: 'FILES_PER_TENANT',
    takes: 'size, such as `10 GB`',
    value: 'no limit',
    about: 'how large the files of the records of one tenant may be together',
  },
]

/** `6h` */
const span = /^([1-9]\d{0,3})([mhd])$/

function parseStores(env: Environment, dataDir: string): Pick<FileSettings, 'store' | 'fallback' | 'redirectSeconds'> {
  const store = parseStore('FILES_STORE', env.FILES_STORE, env) ?? { folder: join(dataDir, 'files') }
  const fallback = parseStore('FILES_STORE_FALLBACK', env.FILES_STORE_FALLBACK, env)
  if (fallback && JSON.stringify(fallback) === JSON.stringify(store))
    fail('FILES_STORE_FALLBACK', 'is FILES_STORE itself: name the store from which files come, or none')
  return { store, fallback, redirectSeconds: parseRedirect(env.FILES_REDIRECT, store) }
}

/** S3 takes addresses of at most seven days. */
const redirectSpan = /^([1-9]\d{0,3})([smh])$/
const redirectMsMax = 7 * 86_400_000

function parseRedirect(text: string | undefined, store: StoreSetting): number | undefined {
  if (!text) return undefined
  if ('folder' in store) fail('FILES_REDIRECT', 'sends reads to S3, and FILES_STORE is a folder')
  const ms = parseSpan(text, redirectSpan)
  if (ms === undefined || ms > redirectMsMax) fail('FILES_REDIRECT', `must look like 60s or 1h, not ${text}`)
  return ms / 1000
}

/** Undefined without a quota. */
function parseQuota(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  return parseBytes(text) ?? fail(name, `must look like 10 GB, not ${text}`)
}

export function parseFiles(env: Environment, dataDir: string): FileSettings {
  const kept = env.UPLOADS_KEEP || keptDefault
  const waiting = env.UPLOADS_WAITING || waitingDefault
  const bytes = env.UPLOADS_WAITING_BYTES || waitingBytesDefault
  if (!/^[1-9]\d{0,5}$/.test(waiting)) fail('UPLOADS_WAITING', `must be a whole number from 1, not ${waiting}`)
  return {
    ...parseStores(env, dataDir),
    uploadKeptMs: parseSpan(kept, span) ?? fail('UPLOADS_KEEP', `must look like 24h or 7d, not ${kept}`),
    waitingMax: Number(waiting),
    perUserMax: parseQuota('FILES_PER_USER', env.FILES_PER_USER),
    perTenantMax: parseQuota('FILES_PER_TENANT', env.FILES_PER_TENANT),
    waitingBytesMax: parseBytes(bytes) ?? fail('UPLOADS_WAITING_BYTES', `must look like 20 GB, not ${bytes}`),
  }
}
