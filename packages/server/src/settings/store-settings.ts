/**
 * Parses the address of a place for objects: a folder, or a prefix in an S3 bucket. Backups and the
 * files of records have one each; the keys of S3 are the same for both.
 */
import { resolve } from 'node:path'
import { type Environment, fail, type Variable } from '../base/environment.ts'

export type BucketSetting = {
  readonly bucket: string
  /** `house/` or nothing */
  readonly prefix: string
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}
export type StoreSetting = { readonly folder: string } | BucketSetting

export const storeForm = 'folder, or `s3://BUCKET/PREFIX`'

export const bucketVariables: readonly Variable[] = [
  { name: 'AWS_ACCESS_KEY_ID', takes: 'text', value: '', about: 'the key for s3://', isSecret: true },
  { name: 'AWS_SECRET_ACCESS_KEY', takes: 'text', value: '', about: 'its secret', isSecret: true },
  { name: 'AWS_REGION', takes: 'text', value: 'us-east-1', about: 'the region of s3://' },
  {
    name: 'AWS_ENDPOINT_URL',
    takes: 'URL',
    value: 'of Amazon',
    about: 'the address of another S3, such as https://s3.example',
  },
]

function parseBucket(name: string, text: string, env: Environment): BucketSetting {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? []
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) fail(name, 'must look like s3://BUCKET/PREFIX')
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId) fail('AWS_ACCESS_KEY_ID', `is missing: ${name} is on S3`)
  if (!secretAccessKey) fail('AWS_SECRET_ACCESS_KEY', `is missing: ${name} is on S3`)
  const region = env.AWS_REGION || 'us-east-1'
  const endpoint = env.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    fail('AWS_ENDPOINT_URL', 'must look like https://s3.example')
  const prefix = path === '' ? '' : `${path.replace(/\/+$/, '')}/`
  return { bucket, prefix, endpoint: endpoint.replace(/\/+$/, ''), region, accessKeyId, secretAccessKey }
}

/** `name`: the variable or argument, for the error message. */
export function parseStore(name: string, text: string | undefined, env: Environment): StoreSetting | undefined {
  if (!text) return undefined
  if (text.startsWith('s3://')) return parseBucket(name, text, env)
  if (/^[a-z0-9]+:\/\//i.test(text)) fail(name, 'must be a folder, or s3://BUCKET/PREFIX')
  return { folder: resolve(text) }
}

/** The place as its variable has it: a folder, or `s3://BUCKET/PREFIX`. */
export function placeOf(setting: StoreSetting): string {
  return 'folder' in setting ? setting.folder : `s3://${setting.bucket}/${setting.prefix}`.replace(/\/$/, '')
}
