/**
 * The environment variables of listening and of the server's interfaces. `config.ts` parses them.
 */
import { type Environment, fail, type Variable } from '../base/environment.ts'

export const servingVariables: readonly Variable[] = [
  { name: 'PORT', takes: 'whole number, 0 to 65535', value: '3000', about: 'port to listen on; 0 takes a free one' },
  {
    name: 'HOST',
    takes: 'IP address or name',
    value: '127.0.0.1',
    about: 'address to listen on',
    more: '`0.0.0.0` listens on every IPv4 address.',
  },
  {
    name: 'DATA_DIR',
    takes: 'folder',
    value: './data',
    about: 'folder of the database and the generated secret',
    more: 'The server makes it with mode 0700.',
  },
  {
    name: 'WORKERS',
    takes: 'whole number, 1 to 64',
    value: '1',
    about: 'processes that serve, at most 64',
    more: 'See [Use several processors](../how-to/operate-workers.md).',
  },
]

export const interfaceVariables: readonly Variable[] = [
  {
    name: 'CURRENCY',
    takes: 'three capital letters (ISO 4217)',
    value: 'USD',
    about: 'the one currency of all prices, three letters (ISO 4217)',
    more: 'Stored amounts are not converted.',
  },
  {
    name: 'KEEP_ANSWERS',
    takes: '`true` or `false`',
    value: 'true',
    about: 'false: no response and no total is cached, which costs time and changes nothing else',
    more: 'See [How caching stays exact](../explanation/caching.md).',
  },
  {
    name: 'COMPRESSION',
    takes: '`on` or `off`',
    value: 'on',
    about: 'on, or off where a proxy compresses',
    more: 'See [Compress responses](../how-to/operate-compression.md).',
  },
  {
    name: 'CONSOLE',
    takes: 'path, or `off`',
    value: '/console',
    about: 'path of the console for people, or off',
    more: 'See [Use the console](../how-to/operate-console.md).',
  },
  {
    name: 'MCP',
    takes: '`off`, `read` or `write`',
    value: 'read',
    about: 'off, read or write: for agents at /mcp, by @modelcontextprotocol/sdk',
    more: 'Without the package there is no `/mcp`. See [Let agents in](../how-to/operate-agents.md).',
  },
  {
    name: 'GRAPHQL_DOCUMENTS',
    takes: 'path of a JSON file',
    value: '',
    about: 'a JSON file of trusted documents; GraphQL answers no others',
    more: 'See [Answer only trusted GraphQL documents](../how-to/operate-trusted-documents.md).',
  },
]

/** The path of the console; undefined where it is off. Throws `StartError`. */
export function parseConsole({ CONSOLE: path = '/console' }: Environment): string | undefined {
  if (path === 'off') return undefined
  if (path === '') return '/console'
  if (!/^\/[a-z][a-z\d-]*$/.test(path) || path === '/api')
    fail('CONSOLE', `must be off or a path like /admin, not ${path}`)
  return path
}
