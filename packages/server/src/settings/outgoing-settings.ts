/** Parses the environment variables of requests that this server sends to others. */

import { isIP } from 'node:net'
import { type Environment, fail, partsOf, type Variable } from '../base/environment.ts'

export type OutgoingSettings = {
  /** Names, addresses and ranges that requests may reach beside the public internet. */
  readonly allow: readonly string[]
  readonly proxy: Readonly<Partial<Record<'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY', string>>>
}

export const outgoingVariables: readonly Variable[] = [
  {
    name: 'OUTGOING_ALLOW',
    takes: 'names, addresses and ranges, with commas',
    value: '',
    about:
      'hosts inside your network that effects may call: crm.internal,*.svc.example,10.1.0.0/16. Without it they reach the public internet alone',
    more: 'See [Control outgoing requests](../how-to/operate-outgoing-requests.md).',
  },
  {
    name: 'HTTPS_PROXY',
    takes: 'URL',
    value: '',
    about: 'the proxy of requests to https: addresses, http://proxy.internal:3128. HTTP_PROXY is the one of http:',
    more: 'The proxy resolves names, so the server checks only hosts that are written as addresses. Let the proxy refuse your private networks. `HTTP_PROXY` and `NO_PROXY` have their usual meaning; names in small letters count too.',
  },
]

const nameForm = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

function isRange(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

function parseAllow(text: string | undefined): string[] {
  return partsOf(text).map((one) => {
    const entry = one.replace(/\.$/, '').toLowerCase()
    const isAddress = entry.includes('/') || isIP(entry) !== 0 || /^[\d.]+$/.test(entry)
    if (isAddress ? !isRange(entry) : !nameForm.test(entry))
      fail('OUTGOING_ALLOW', `must have names, addresses and ranges such as 10.1.0.0/16, not ${one}`)
    return entry
  })
}

function parseProxy(env: Environment, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string | undefined {
  const text = env[name] || env[name.toLowerCase()]
  if (!text) return undefined
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    fail(name, `must be an http: or https: address, not ${text.replace(/\/\/.*@/, '//')}`)
  return text
}

export function parseOutgoing(env: Environment): OutgoingSettings {
  const plain = parseProxy(env, 'HTTP_PROXY')
  const tls = parseProxy(env, 'HTTPS_PROXY')
  const none = env.NO_PROXY || env.no_proxy
  return {
    allow: parseAllow(env.OUTGOING_ALLOW),
    proxy: {
      ...(plain && { HTTP_PROXY: plain }),
      ...(tls && { HTTPS_PROXY: tls }),
      ...(none && { NO_PROXY: none }),
    },
  }
}
