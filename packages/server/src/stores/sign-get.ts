/**
 * Signs an address for reading one object (AWS Signature Version 4, in the query). `s3mini` leaves
 * `'` and `*` of a query as they are, and S3 wants them encoded: names of files have both.
 */
import { createHmac, hash } from 'node:crypto'
import type { BucketSetting } from '../settings/store-settings.ts'

/** As S3 encodes: all but letters, digits and `-._~`. */
function encoded(text: string): string {
  const hexOf = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, hexOf)
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** `2026-11-27T21:00:00.000Z` → `20261127T210000Z` */
const stampOf = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')

export type GetToSign = {
  readonly key: string
  readonly seconds: number
  /** `response-content-type` and its like. */
  readonly parameters: Readonly<Record<string, string>>
  readonly nowMs: number
}

export function signGet(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: BucketSetting,
  { key, seconds, parameters, nowMs }: GetToSign,
): string {
  const { origin, host, pathname } = new URL(endpoint)
  const path = `${pathname.replace(/\/$/, '')}/${[bucket, ...key.split('/')].map(encoded).join('/')}`
  const stamp = stampOf(nowMs)
  const day = stamp.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const pairs = Object.entries({
    ...parameters,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  }).map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  const query = pairs.sort().join('&')
  const request = ['GET', path, query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', stamp, scope, hash('sha256', request)].join('\n')
  const signingKey = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day))
  return `${origin}${path}?${query}&X-Amz-Signature=${hmac(signingKey, text).toString('hex')}`
}
